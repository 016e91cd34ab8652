import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenVerifier } from "../../src/server/guards/auth.ts";

const TRIES = 10_000;
const LIMIT = 4.5;

/** A comparison with a leak: it stops at the first difference. */
function leaky(token: string): (candidate: string) => boolean {
  return (candidate) => {
    if (candidate.length !== token.length) return false;
    for (let i = 0; i < token.length; i++) if (candidate.charCodeAt(i) !== token.charCodeAt(i)) return false;
    return true;
  };
}

/** Interrupts of a busy machine sit in the upper tail of both classes, and say nothing about either. */
function trimmed(times: number[]): number[] {
  return times.sort((a, b) => a - b).slice(0, Math.floor(times.length * 0.8));
}

function moments(times: number[]): { mean: number; error: number } {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1);
  return { mean, error: variance / times.length };
}

/** Welch's t between a difference in the first byte and one in the last; tried in random order, so that drift hits both. */
function statistic(compare: (candidate: string) => boolean, token: string): number {
  const first = `!${token.slice(1)}`;
  const last = `${token.slice(0, -1)}!`;
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < 2_000; i++) compare(i % 2 === 0 ? first : last);
  for (let i = 0; i < TRIES * 2; i++) {
    const which = Math.random() < 0.5 ? 0 : 1;
    const candidate = which === 0 ? first : last;
    const start = process.hrtime.bigint();
    const same = compare(candidate);
    times[which].push(Number(process.hrtime.bigint() - start));
    assert.ok(!same);
  }
  const a = moments(trimmed(times[0]));
  const b = moments(trimmed(times[1]));
  return Math.abs(a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

const token = "k".repeat(43);
const long = "k".repeat(8_192);

for (const [name, secret] of [
  ["a generated token", token],
  ["a very long one", long],
] as const) {
  test(`the time of the compare does not tell where ${name} differs`, () => {
    const verify = tokenVerifier(secret);
    // A leak shows in every run; a machine that stumbles once does not.
    const runs: number[] = [];
    while (runs.length < 3 && !runs.some((t) => t < LIMIT)) runs.push(statistic(verify, secret));
    assert.ok(Math.min(...runs) < LIMIT, `|t| = ${runs.map((t) => t.toFixed(1)).join(", ")}`);
  });
}

test("the statistic sees the leak of a compare that stops early", () => {
  const t = statistic(leaky(long), long);
  assert.ok(t > LIMIT, `|t| = ${t.toFixed(1)}`);
});
