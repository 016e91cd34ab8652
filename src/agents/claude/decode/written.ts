import { withEntry } from "../../../core/entries.ts";
import { type Fields, listIn, textIn } from "../../../core/json/fields.ts";
import type { Said } from "../../program/read-lines.ts";
import { finishIfIdle } from "./result.ts";
import { type DecodeState, inMode, Reading, without } from "./state.ts";

/** Lines that Parley writes to the program change how the program's lines are read. */

/** A user line is on its way: until the program has taken it up, no end is the end of its turn. */
export function wroteUserLine(state: DecodeState, uuid: string): DecodeState {
  return { ...state, waiting: new Set([...state.waiting, uuid]), unread: new Set([...state.unread, uuid]) };
}

/** The program has read a line: its state, as it said it last and says it from now on, takes the line into account. */
export function wasRead(state: DecodeState, uuid: string, now: number): { state: DecodeState; said: Said[] } {
  const reading = new Reading({ ...state, unread: without(state.unread, uuid) }, now);
  if (reading.state.turn?.held) finishIfIdle(reading);
  return reading;
}

/** The turn is to stop: prompts that wait are not waited for. */
export function stopsWaiting(state: DecodeState): DecodeState {
  return { ...state, waiting: new Set(), unread: new Set(), lastWord: false };
}

/** The program gave a prompt back before it began: no turn of its own will end. */
export function gaveBack(state: DecodeState, now: number): { state: DecodeState; said: Said[] } {
  const reading = new Reading(state, now);
  const { turn } = state;
  if (turn && !turn.held) return reading;
  reading.patch({ turn: null });
  reading.say({ type: "turn.finished", reason: "cancelled", ...(turn ? { turn: turn.id } : {}) });
  return reading;
}

/** An answer was given. `lastWord`: the program ends its turn because of it, in the ordinary way. */
export function answered(
  state: DecodeState,
  ask: string,
  { refused, lastWord }: { refused: boolean; lastWord: boolean },
): DecodeState {
  const call = state.requests.get(ask)?.call;
  return {
    ...state,
    requests: withEntry(state.requests, ask, undefined),
    lastWord: state.lastWord || lastWord,
    refused: refused && call !== undefined ? new Set([...state.refused, call]) : state.refused,
  };
}

export function choseModel(state: DecodeState, model: string | undefined): DecodeState {
  const { chosen: _, ...rest } = state;
  return model === undefined ? rest : { ...rest, chosen: model };
}

export function choseMode(state: DecodeState, mode: string | undefined): DecodeState {
  const { mode: _, ...rest } = state;
  return mode === undefined ? rest : inMode(rest, mode);
}

/** Remembers the models that the names in the program's list stand for. */
export function learnModels(state: DecodeState, initialized: Fields): DecodeState {
  const aliases = new Map<string, string>();
  for (const model of listIn(initialized, "models")) {
    const name = textIn(model, "value");
    const resolved = textIn(model, "resolvedModel");
    if (name !== undefined && resolved !== undefined) aliases.set(name, resolved);
  }
  return { ...state, aliases };
}
