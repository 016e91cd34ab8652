import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("the adapter of docs/adapters.md is the one that is compiled and held to the contract", () => {
  const [, shown] = /^```ts\n\/\/ src\/agents\/plain\/agent\.ts\n(.*?)^```$/ms.exec(read("docs/adapters.md")) ?? [];
  const run = read("test/agents/plain/agent.ts")
    .replaceAll('"../../../src/agents/', '"../')
    .replaceAll('"../../../src/', '"../../');
  assert.equal(shown, run);
});
