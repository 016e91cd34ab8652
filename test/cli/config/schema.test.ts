import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { configJsonSchema } from "../../../src/cli/config/schema.ts";

const FILE = new URL("../../../schema/config.json", import.meta.url);

test("schema/config.json is what the code says; UPDATE_SCHEMA=1 writes it", () => {
  const text = `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`;
  if (process.env.UPDATE_SCHEMA) writeFileSync(FILE, text);
  assert.deepEqual(JSON.parse(readFileSync(FILE, "utf8")), JSON.parse(text));
});
