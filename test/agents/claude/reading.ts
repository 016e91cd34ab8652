import { type DecodeState, newDecodeState } from "../../../src/agents/claude/decode/state.ts";
import { wasRead, wroteUserLine } from "../../../src/agents/claude/decode/written.ts";
import { decodeLine } from "../../../src/agents/claude/decode.ts";
import type { Said } from "../../../src/agents/program/read-lines.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import type * as line from "./lines.ts";

export type Step = line.Line | ((state: DecodeState) => DecodeState);

/** The signals of all lines together; functions stand for lines that Parley wrote in between. */
export function read(...steps: Step[]): { state: DecodeState; said: Said[] } {
  let state = newDecodeState("/project");
  const said: Said[] = [];
  for (const step of steps) {
    if (typeof step === "function") {
      state = step(state);
      continue;
    }
    const decoded = decodeLine(state, JSON.stringify(step), 1_000);
    state = decoded.state;
    said.push(...decoded.said);
  }
  return { state, said };
}

export const signals = (...steps: Step[]): Signal[] => read(...steps).said.map(({ signal }) => signal);
export const types = (...steps: Step[]): string[] => signals(...steps).map((signal) => signal.type);
export const ends = (...steps: Step[]): unknown[] =>
  signals(...steps).flatMap((signal) => (signal.type === "turn.finished" ? [signal.reason] : []));
export const writing =
  (uuid: string) =>
  (state: DecodeState): DecodeState =>
    wroteUserLine(state, uuid);
export const wrote =
  (uuid: string) =>
  (state: DecodeState): DecodeState =>
    wasRead(wroteUserLine(state, uuid), uuid, 0).state;
