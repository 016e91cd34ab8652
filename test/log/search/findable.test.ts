import assert from "node:assert/strict";
import { test } from "node:test";
import { createFindable } from "../../../src/log/sqlite/search/findable.ts";

test("what was stored before is read, and what lies between known events is passed over", () => {
  const findable = createFindable(100);
  for (const position of [150, 151, 400]) findable.add(position);
  assert.equal(findable.before(20, 500), 20);
  assert.equal(findable.before(100, 500), 149);
  assert.equal(findable.before(150, 500), 150);
  assert.equal(findable.before(151, 500), 399);
  assert.equal(findable.before(400, 500), 500);
  findable.add(501);
  assert.equal(findable.before(500, 501), 500);
});

test("an index that is made anew reads all that was indexed before", () => {
  const findable = createFindable(100);
  for (const position of [150, 200]) findable.add(position);
  assert.equal(findable.before(150, 300), 199);
  assert.equal(findable.before(0, 300), 0);
  assert.equal(findable.before(120, 300), 120);
  assert.equal(findable.before(150, 300), 199);
});

test("more events than are remembered are read", () => {
  const findable = createFindable(0, 2);
  for (const position of [10, 20, 30, 40]) findable.add(position);
  assert.equal(findable.before(0, 50), 0);
  assert.equal(findable.before(29, 50), 29);
  assert.equal(findable.before(30, 50), 39);
});
