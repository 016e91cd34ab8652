import type { Step } from "../../src/testing/model/script.ts";
import { median, percentile } from "./stats.ts";
import { type Both, each, inTurns } from "./versus.ts";

const PIECE = /<(\d+)>/g;

/** An answer in pieces that can be told apart. */
export function pacedAnswer(pieces: number, periodMs: number): Step {
  return { pace: periodMs, text: Array.from({ length: pieces }, (_, number) => `word <${number}> `) };
}

/** When pieces of an answer first passed a place: the model's write, or the client. Some formats repeat the whole text at its end. */
export class Passed {
  readonly times = new Map<number, number>();

  note(text: string, now = performance.now()): void {
    for (const [, piece] of text.matchAll(PIECE)) {
      const number = Number(piece);
      if (!this.times.has(number)) this.times.set(number, now);
    }
  }
}

export interface Heard {
  /** Milliseconds of each piece from the model's write to the client, in order. */
  delays: number[];
  /** From the prompt to the first piece. */
  first: number;
  /** When the prompt was given. */
  began: number;
}

/** A turn as its client saw it, whose prompt was given at `began`. */
export function heard(sent: Passed, came: Passed, began: number): Heard {
  return {
    delays: [...came.times].map(([number, at]) => at - (sent.times.get(number) ?? Number.NaN)),
    first: (came.times.get(0) ?? Number.NaN) - began,
    began,
  };
}

/** One value of either side for each of these: the median of the turns. */
export interface Delays {
  median: Both<number>;
  p90: Both<number>;
  p99: Both<number>;
  first: Both<number>;
}

/** Turns of either side, as one value for each of these. */
export function summed(turns: Both<readonly Heard[]>): Delays {
  const of = (value: (turn: Heard) => number): Both<number> =>
    each({ native: turns.native.map(value), parley: turns.parley.map(value) }, 0.5);
  return {
    median: of(({ delays }) => median(delays)),
    p90: of(({ delays }) => percentile(delays, 0.9)),
    p99: of(({ delays }) => percentile(delays, 0.99)),
    first: of(({ first }) => first),
  };
}

/** How much later the same pieces were heard by one than by the other, in milliseconds. */
export function laterBy(one: Heard, other: Heard): number[] {
  const [count, expected] = [one.delays.length, other.delays.length];
  if (count !== expected) throw new Error(`expected the same ${expected} pieces at both, got ${count}`);
  return one.delays.map((delay, at) => delay - (other.delays[at] ?? Number.NaN));
}

/** Turns of both in turns, after one of either that is not counted. */
export async function compareDelays(rounds: number, turn: Both<() => Promise<Heard>>): Promise<Delays> {
  const turns: Both<Heard[]> = { native: [], parley: [] };
  await inTurns(rounds + 1, async (side, round) => {
    const heard = await turn[side]();
    if (round > 0) turns[side].push(heard);
  });
  return summed(turns);
}
