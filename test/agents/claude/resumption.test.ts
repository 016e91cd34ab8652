import assert from "node:assert/strict";
import { test } from "node:test";
import { assertResumable, copyAt, resumption } from "../../../src/agents/claude/resumption.ts";

const OLD = "9f9ad8f8-e8bd-4024-9dce-ae4134424fae";
const LINE = "acbb3fd2-d078-4af4-b613-3ea20a3ecfc2";

test("a session, a copy up to a line and an empty copy are started by their ids", () => {
  assert.deepEqual(resumption(undefined, "new"), ["--session-id", "new"]);
  assert.deepEqual(resumption(OLD, "new"), ["--resume", OLD]);
  assert.deepEqual(resumption(copyAt(OLD, undefined), "new"), ["--session-id", "new"]);
  const copy = ["--resume", OLD, "--resume-session-at", LINE, "--fork-session", "--session-id", "new"];
  assert.deepEqual(resumption(copyAt(OLD, LINE), "new"), copy);
  assert.deepEqual(resumption(copyAt(copyAt(OLD, OLD), LINE), "new"), copy, "a copy of a copy");
});

test("an id that could be a flag is refused", () => {
  for (const id of [undefined, OLD, `${OLD}@`, `${OLD}@${LINE}`]) assertResumable(id);
  for (const id of ["", "--settings=x", "-p", `${OLD} --help`, `${OLD}@--help`, `${OLD}\n`, "../x"])
    assert.throws(() => assertResumable(id), { name: "ResumeLost" }, id);
});
