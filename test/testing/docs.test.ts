import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { temporary } from "../support/server.ts";

const examplesOf = (page: string): string[] => {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, example = ""]) => example);
};
const SOURCES: Readonly<Record<string, string>> = {
  "parley-agents": "index.ts",
  "parley-agents/client": "client/index.ts",
  "parley-agents/testing": "testing/index.ts",
};

/** A program of the page's examples, with its imports from the source. Returns what it writes. */
async function run(t: TestContext, program: string): Promise<{ stdout: string; stderr: string }> {
  const local = program.replaceAll(/from "(parley-agents[\w/]*)"/g, (_, name: string) => {
    const source = SOURCES[name] ?? assert.fail(`no module ${name}`);
    return `from "${new URL(`../../src/${source}`, import.meta.url).href}"`;
  });
  const file = join(await temporary(t), "example.ts");
  await writeFile(file, local);
  const env = { ...process.env, XDG_DATA_HOME: await temporary(t) };
  return promisify(execFile)(process.execPath, [file], { env });
}

const [server = "", model = ""] = examplesOf("testing.md");
const [embedded = ""] = examplesOf("embedding.md");

test("the example of docs/testing.md runs as it stands, and breaks no law", async (t) => {
  const { stdout, stderr } = await run(t, server);
  assert.match(stdout, /^end_turn [\s\S]*hello[\s\S]* 0\n$/, stderr);
});

test("the house agent of docs/testing.md works by the scripted model", async (t) => {
  const housed = server.replace('defaultAgent: "scripted"', 'defaultAgent: "house", house');
  assert.notEqual(housed, server);
  const { stdout, stderr } = await run(t, `${model}${housed}await model.close();`);
  assert.equal(stdout, "end_turn You said: hello 0\n", stderr);
});

test("the example of docs/embedding.md runs as it stands, and its process ends", async (t) => {
  const { stdout, stderr } = await run(t, embedded);
  assert.match(stdout, /^http:\/\/127\.0\.0\.1:\d+ end_turn\n$/, stderr);
});
