import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL_BUT_TOUCH, NAMED_ONLY, tryLines } from "../core/permissions/shells.ts";
import { seedOf } from "../support/random.ts";

const seed = seedOf();

test(`10,000 random lines: those that the rules allow run nothing but what they name (seed ${seed})`, async () => {
  const { ran, broken } = await tryLines(NAMED_ONLY, { lines: 10_000, seed });
  assert.equal(broken, undefined);
  assert.ok(ran > 300, `${ran} lines were allowed`);
});

test(`2,000 random lines: those that are allowed run nothing that is denied (seed ${seed})`, async () => {
  const { ran, broken } = await tryLines(ALL_BUT_TOUCH, { lines: 2_000, seed });
  assert.equal(broken, undefined);
  assert.ok(ran > 300, `${ran} lines were allowed`);
});
