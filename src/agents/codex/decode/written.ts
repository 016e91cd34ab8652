import { withEntry } from "../../../core/entries.ts";
import type { Failure } from "../../../core/events/values.ts";
import { type Fields, textIn } from "../../../core/json/fields.ts";
import type { Said } from "../../program/read-lines.ts";
import { type DecodeState, type Item, NO_TOKENS, type Request, type Thread } from "./state.ts";

/** The session's own thread is open. */
export function opened(state: DecodeState, id: string, resumed: boolean): DecodeState {
  const thread: Thread = state.threads.get(id) ?? { id, tokens: NO_TOKENS };
  return { ...state, root: id, named: resumed, threads: withEntry(state.threads, id, thread) };
}

function itemOf(turn: Thread["turn"], params: Fields): Item | undefined {
  return turn?.items.get(textIn(params, "itemId") ?? "");
}

/** An ask is answered. An item that was refused is never begun; `lastWord`: the turn is to end by it. */
export function answered(
  state: DecodeState,
  ask: string,
  { thread: id, params }: Request,
  { refused, lastWord }: { refused: boolean; lastWord: boolean },
): DecodeState {
  const requests = withEntry(state.requests, ask, undefined);
  const thread = state.threads.get(id);
  const { turn } = thread ?? {};
  if (!thread || !turn || !refused) return { ...state, requests };
  const item = itemOf(turn, params);
  const after = {
    ...turn,
    refused: item ? new Set([...turn.refused, item.key]) : turn.refused,
    lastWord: turn.lastWord || lastWord,
  };
  return { ...state, requests, threads: withEntry(state.threads, id, { ...thread, turn: after }) };
}

/** The program does not begin the turn that it was asked for. */
export function failedTurn(error: Failure): Said[] {
  return [{ signal: { type: "turn.finished", reason: "error", error } }];
}

/** A person refused a call of the thread so that its turn ends. */
export function lastWord(state: DecodeState, id: string): DecodeState {
  const thread = state.threads.get(id);
  if (!thread?.turn) return state;
  const after = { ...thread, turn: { ...thread.turn, lastWord: true } };
  return { ...state, threads: withEntry(state.threads, id, after) };
}

/** The model has called a tool that the program does not tell of: the call was refused, or waits for an answer. */
export function called(state: DecodeState, id: string): DecodeState {
  const thread = state.threads.get(id);
  if (!thread?.turn?.open) return state;
  const after = { ...thread, turn: { ...thread.turn, calls: true } };
  return { ...state, threads: withEntry(state.threads, id, after) };
}
