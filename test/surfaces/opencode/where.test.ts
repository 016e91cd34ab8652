import assert from "node:assert/strict";
import { test } from "node:test";
import { opencodeOperations } from "../../../scripts/opencode-table.ts";
import { type Where, whereOf } from "../../../src/surfaces/opencode/where.ts";

const all = opencodeOperations();

/** The operations that Parley has, by where they are answered. */
function idsOf(where: Where): string[] {
  return all.filter((one) => one.support === "real" && whereOf(one) === where).map(({ id }) => id);
}

test("each command of a session goes to its owner", () => {
  const commands = all.filter(
    ({ path, method, support }) => path.includes("{sessionID}") && method !== "get" && support === "real",
  );
  const others = commands.filter((one) => whereOf(one) !== "owner").map(({ id }) => id);
  assert.deepEqual(others, ["v2.session.wait"]);
});

test("each read of a session is answered by any node", () => {
  const reads = all.filter(({ path, method }) => path.includes("{sessionID}") && method === "get");
  assert.deepEqual(
    reads.filter((one) => whereOf(one) !== "any"),
    [],
  );
});

test("terminals, requests to user interfaces and linked checkouts are with the keeper", () => {
  const rooms = new Set(idsOf("keeper").map((id) => id.replace(/^(v2|experimental)\./, "").split(".")[0]));
  assert.deepEqual([...rooms].sort(), ["projectCopy", "pty", "tui", "worktree"]);
});

test("work in a directory is done where the directory is", () => {
  const rooms = new Set(idsOf("place").map((id) => id.replace(/^v2\./, "").split(".")[0]));
  const expected = [
    "agent",
    "app",
    "command",
    "config",
    "file",
    "find",
    "fs",
    "global",
    "integration",
    "location",
    "mcp",
  ];
  assert.deepEqual([...rooms].sort(), [...expected, "model", "path", "project", "provider", "session", "vcs"]);
  const sessions = idsOf("place").filter((id) => /session/.test(id));
  assert.deepEqual(sessions, ["session.create", "v2.session.create"]);
});
