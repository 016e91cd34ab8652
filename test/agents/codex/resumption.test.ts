import assert from "node:assert/strict";
import { test } from "node:test";
import { copyAt, isLost, openingOf } from "../../../src/agents/codex/resumption.ts";
import { ResumeLost } from "../../../src/agents/contract.ts";

const THREAD = "01a1e12b-9f81-7b91-89f1-d2ab7b7cd9af";
const TURN = "01a1e12b-a00c-7cd3-80a0-9b580129b7cf";

test("a session is begun, resumed, or copied up to a turn", () => {
  assert.deepEqual(openingOf(undefined), { method: "thread/start" });
  assert.deepEqual(openingOf(THREAD), { method: "thread/resume", thread: THREAD });
  assert.deepEqual(openingOf(copyAt(THREAD, TURN)), { method: "thread/fork", thread: THREAD, turn: TURN });
  assert.deepEqual(openingOf(copyAt(THREAD, undefined)), { method: "thread/start" });
});

test("a copy of a copy that was never resumed is one of the first", () => {
  assert.equal(copyAt(copyAt(THREAD, TURN), THREAD), `${THREAD}@${THREAD}`);
});

test("an id that the program cannot have is lost, and is not sent to it", () => {
  for (const id of ["", "x", "--flag", `${THREAD}@x`, `${THREAD} `, `../${THREAD}`])
    assert.throws(() => openingOf(id), ResumeLost, id);
});

test("the program's words for a thread or a turn that it does not know", () => {
  assert.ok(isLost(`no rollout found for thread id ${THREAD}`));
  assert.ok(isLost(`turn not found: ${TURN}`));
  assert.ok(isLost("invalid session id: invalid character"));
  assert.ok(!isLost("model not supported"));
});
