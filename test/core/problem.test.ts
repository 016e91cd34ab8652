import assert from "node:assert/strict";
import { test } from "node:test";
import { ParleyError } from "../../src/core/errors.ts";
import { problemOf } from "../../src/core/problem.ts";

test("an error becomes a problem with its details as members", () => {
  const error = new ParleyError("already_answered", "somebody was first", { answer: "once" });
  assert.deepEqual(problemOf(error, "req_1"), {
    type: "urn:parley:error:already_answered",
    title: "Already answered",
    status: 409,
    detail: "somebody was first",
    code: "already_answered",
    instance: "req_1",
    answer: "once",
  });
});

test("details cannot pass for what the format defines", () => {
  const problem = problemOf(new ParleyError("busy", "busy", { status: 200, code: "fine", type: "x", title: "y" }));
  assert.equal(problem.status, 409);
  assert.equal(problem.code, "busy");
  assert.equal(problem.title, "Busy");
  assert.ok(!("instance" in problem));
});
