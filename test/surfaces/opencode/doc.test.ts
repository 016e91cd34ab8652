import assert from "node:assert/strict";
import { test } from "node:test";
import { opencodeOperations } from "../../../scripts/opencode-table.ts";
import { assertDescribed } from "../../support/opencode.ts";
import { opencodeRig } from "./rig.ts";

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; "x-support": string; parameters?: { name: string }[] }>>;
}

test("GET /doc lists every operation with how much of it there is", async (t) => {
  const { client } = await opencodeRig(t);
  const { openapi, paths } = await client.get<Document>("/doc");
  assert.equal(openapi, "3.1.0");
  for (const { method, path, id, support } of opencodeOperations()) {
    if (path === "/doc") continue;
    const described = paths[path]?.[method];
    assert.deepEqual([described?.operationId, described?.["x-support"]], [id, support], `${method} ${path}`);
  }
  const find = paths["/find/file"]?.get?.parameters?.map(({ name }) => name);
  assert.deepEqual(find, ["query", "dirs", "type", "limit"]);
});

test("answers are really held against OpenCode's description", () => {
  const path = { home: "/", state: "/", config: "/", worktree: "/", directory: "/" };
  assertDescribed("GET /path", 200, path);
  assert.throws(() => assertDescribed("GET /path", 200, { ...path, more: 1 }), /more/);
  assert.throws(() => assertDescribed("GET /path", 200, { ...path, home: undefined }), /home/);
  assert.throws(() => assertDescribed("GET /project", 200, [{ id: "x" }]), /worktree/);
});
