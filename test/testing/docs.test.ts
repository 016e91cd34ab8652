import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { temporary } from "../support/server.ts";

const page = readFileSync(new URL("../../docs/testing.md", import.meta.url), "utf8");
const SOURCES: Readonly<Record<string, string>> = {
  parley: "index.ts",
  "parley/client": "client/index.ts",
  "parley/testing": "testing/index.ts",
};

test("the example of docs/testing.md runs as it stands, and breaks no law", async (t) => {
  const [, example = ""] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const program = example.replaceAll(/from "(parley[\w/]*)"/g, (_, name: string) => {
    const source = SOURCES[name] ?? assert.fail(`no module ${name}`);
    return `from "${new URL(`../../src/${source}`, import.meta.url).href}"`;
  });
  const file = join(await temporary(t), "example.ts");
  await writeFile(file, program);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file]);
  assert.match(stdout, /^end_turn [\s\S]*hello[\s\S]* 0\n$/, stderr);
});
