import assert from "node:assert/strict";
import { test } from "node:test";
import { opencodeOperations } from "../../../scripts/opencode-table.ts";
import type { Operation } from "../../../src/surfaces/opencode/operation.ts";
import { goldenJson } from "../../support/opencode.ts";

interface Native {
  method: string;
  path: string;
  id: string;
}

const native = goldenJson<Native[]>("operations.json");
const key = ({ method, path }: Native | Operation): string => `${method.toUpperCase()} ${path}`;

/** Served beside OpenCode's own. */
const MORE = ["GET /doc"];

test("all 188 operations of OpenCode 1.18.33 are served, under its own ids", () => {
  assert.equal(native.length, 188);
  const served = new Map(opencodeOperations().map((one) => [key(one), one.id]));
  const missing = native.filter((one) => !served.has(key(one)));
  assert.deepEqual(missing.map(key), []);
  for (const one of native) {
    if (served.has(key(one))) assert.equal(served.get(key(one)), one.id, key(one));
  }
});

test("nothing is served that OpenCode does not have, but for what is said so, and nothing twice", () => {
  const known = new Set([...native.map(key), ...MORE]);
  const served = opencodeOperations().map(key);
  assert.deepEqual(
    served.filter((one) => !known.has(one)),
    [],
  );
  assert.equal(new Set(served).size, served.length);
});

test("each empty or refused operation says why", () => {
  for (const one of opencodeOperations()) {
    if (one.support !== "real") assert.ok((one.note ?? "").length > 8, `${key(one)} is ${one.support} without a note`);
  }
});
