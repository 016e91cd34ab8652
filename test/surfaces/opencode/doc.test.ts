import assert from "node:assert/strict";
import { test } from "node:test";
import { opencodeOperations } from "../../../scripts/opencode-table.ts";
import { assertDescribed, type DescribedOperation, document, goldenJson } from "../../support/opencode.ts";
import { opencodeRig } from "./rig.ts";

interface Request {
  query?: string[];
  required?: string[];
  body?: string[];
}

const native = goldenJson<Record<string, Request>>("requests.json");

function described(key: string): DescribedOperation {
  const [method = "", path = ""] = key.split(" ");
  const operation = document.paths[path]?.[method.toLowerCase()];
  assert.ok(operation, key);
  return operation;
}

test("GET /doc lists every operation with how much of it there is", async (t) => {
  const { client } = await opencodeRig(t);
  const served = await client.get<typeof document & { openapi: string }>("/doc");
  assert.equal(served.openapi, "3.1.0");
  assert.deepEqual(served.paths, document.paths);
  for (const { method, path, id, support } of opencodeOperations()) {
    if (path === "/doc") continue;
    const one = served.paths[path]?.[method];
    assert.deepEqual([one?.operationId, one?.["x-support"]], [id, support], `${method} ${path}`);
  }
  const find = served.paths["/find/file"]?.get?.parameters.map(({ name }) => name);
  assert.deepEqual(find, ["directory", "query", "dirs", "type", "limit"]);
});

test("every reference of the document leads to a schema, and every id is there once", () => {
  const { schemas } = document.components;
  const used = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name = ""]) => name,
  );
  assert.ok(used.length > 500, `only ${used.length} references`);
  assert.deepEqual(
    used.filter((name) => !(name in schemas)),
    [],
  );
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  assert.equal(new Set(ids).size, ids.length);
});

test("every answer that is not refused has a form, unless it is empty", () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { responses, "x-support": support }] of Object.entries(methods)) {
      const where = `${method} ${path}`;
      for (const [status, { content }] of Object.entries(responses))
        if (status !== "204") assert.ok(content && Object.keys(content).length > 0, `${where} ${status} has no form`);
      const good = Object.keys(responses).filter((status) => status.startsWith("2"));
      assert.equal(good.length, support === "refused" ? 0 : 1, where);
    }
});

/** Parameters that have no meaning here: there are no remote workspaces. */
const NO_MEANING = new Set(["workspace", "location[workspace]", "location[directory]"]);

test("every parameter of OpenCode's own document is in ours, and required where it is there", () => {
  const missing: string[] = [];
  for (const [key, { query = [], required = [] }] of Object.entries(native)) {
    const { parameters, "x-support": support } = described(key);
    if (support === "refused") continue;
    const ours = new Map(parameters.map((one) => [one.name, one]));
    const place = ours.has("location") ? "location" : "directory";
    for (const name of query)
      if (!NO_MEANING.has(name) && !ours.has(name) && name !== place) missing.push(`${key}: ${name}`);
    for (const name of required) if (!ours.get(name)?.required) missing.push(`${key}: ${name} is required`);
  }
  assert.deepEqual(missing, []);
});

/** Other settings than the model and the mode are refused by name, and there are no remote workspaces. */
const LEFT_OUT = /^PATCH \/(global\/)?config: |: workspaceID$/;

test("every field of a request's body in OpenCode's own document is in ours", () => {
  const missing: string[] = [];
  for (const [key, { body = [] }] of Object.entries(native)) {
    const { requestBody, "x-support": support } = described(key);
    if (support !== "real") continue;
    const schema = requestBody?.content["application/json"].schema ?? {};
    const fields = (schema.anyOf ?? schema.oneOf ?? [schema]).flatMap((one) => Object.keys(one.properties ?? {}));
    for (const name of body)
      if (!fields.includes(name) && !LEFT_OUT.test(`${key}: ${name}`)) missing.push(`${key}: ${name}`);
  }
  assert.deepEqual(missing, []);
});

test("answers are really held against OpenCode's description", () => {
  const path = { home: "/", state: "/", config: "/", worktree: "/", directory: "/" };
  assertDescribed("GET /path", 200, path);
  assert.throws(() => assertDescribed("GET /path", 200, { ...path, more: 1 }), /more/);
  assert.throws(() => assertDescribed("GET /path", 200, { ...path, home: undefined }), /home/);
  assert.throws(() => assertDescribed("GET /project", 200, [{ id: "x" }]), /worktree/);
});
