import assert from "node:assert/strict";
import { test } from "node:test";
import { Attempts } from "../../../src/testing/model/attempts.ts";

test("attempts are counted by key, and anew once forgotten", () => {
  const attempts = new Attempts();
  assert.deepEqual([attempts.next("a"), attempts.next("a"), attempts.next("b")], [0, 1, 0]);
  attempts.forget("a");
  assert.deepEqual([attempts.next("a"), attempts.next("b")], [0, 1]);
});

test("only the last thousand are kept, by use", () => {
  const attempts = new Attempts();
  attempts.next("old");
  attempts.next("used");
  for (let key = 0; key < 998; key += 1) attempts.next(`key ${key}`);
  assert.equal(attempts.next("used"), 1);
  attempts.next("one more");
  assert.deepEqual([attempts.next("used"), attempts.next("old")], [2, 0]);
});
