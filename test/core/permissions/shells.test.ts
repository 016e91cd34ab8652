import assert from "node:assert/strict";
import { test } from "node:test";
import { matches } from "../../../src/core/permissions/glob.ts";
import { seedOf } from "../../support/random.ts";
import { ALL_BUT_TOUCH, NAMED_ONLY, tryLines } from "./shells.ts";

const seed = seedOf();

test(`no line that the rules allow runs a program that they do not name, in any shell (seed ${seed})`, async () => {
  const { ran, broken } = await tryLines(NAMED_ONLY, { lines: 800, seed });
  assert.equal(broken, undefined);
  assert.ok(ran > 10, `${ran} lines were allowed`);
});

test(`no line that is allowed runs a program that is denied, in any shell (seed ${seed})`, async () => {
  const { ran, broken } = await tryLines(ALL_BUT_TOUCH, { lines: 150, seed });
  assert.equal(broken, undefined);
  assert.ok(ran > 10, `${ran} lines were allowed`);
});

test("the same lines notice rules that look at the line as one text", async () => {
  const whole = (line: string): boolean =>
    ["git status*", "ls*", "echo *", "cat *"].some((glob) => matches(glob, line));
  const { broken } = await tryLines({ ...NAMED_ONLY, allows: whole }, { lines: 1_000, seed });
  assert.notEqual(broken, undefined);
});
