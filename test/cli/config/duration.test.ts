import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration } from "../../../src/cli/config/duration.ts";

const rows: [text: string, ms: number | undefined][] = [
  ["0s", 0],
  ["250ms", 250],
  ["30s", 30_000],
  ["30m", 1_800_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["24d", 2_073_600_000],
  ["25d", undefined],
  ["24d1ms", undefined],
  ["30", undefined],
  ["", undefined],
  ["m", undefined],
  ["-5s", undefined],
  ["5 s", undefined],
  ["5M", undefined],
  ["5sx", undefined],
];

for (const [text, ms] of rows) {
  test(`"${text}" is ${ms ?? "no duration"}`, () => assert.equal(parseDuration(text), ms));
}
