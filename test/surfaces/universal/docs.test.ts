import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { catalog, type EventType } from "../../../src/core/events/catalog.ts";
import { parseEvent } from "../../../src/core/events/event.ts";
import { missing } from "../../support/missing.ts";
import { startServer } from "../../support/server.ts";

const run = promisify(execFile);

interface Block {
  language: string;
  text: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = "", body = ""]) => ({
    language,
    text: body,
  }));
}

/** Reads one JSON value after another. */
function valuesOf(text: string): unknown[] {
  const values: unknown[] = [];
  let pending = "";
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    pending += line;
    try {
      values.push(JSON.parse(pending));
      pending = "";
    } catch {
      // A value may go on in the next line.
    }
  }
  assert.equal(pending, "", "expected whole JSON values");
  return values;
}

/** All shown fields are there, with values of the same sort. The values may differ. */
function assertShows(shown: unknown, real: unknown, way: string): void {
  if (Array.isArray(shown)) {
    assert.ok(Array.isArray(real), way);
    for (const [at, inner] of shown.entries()) assertShows(inner, real[at], `${way}/${at}`);
  } else if (shown !== null && typeof shown === "object") {
    assert.ok(real !== null && typeof real === "object", `${way} is ${real}`);
    for (const [key, inner] of Object.entries(shown)) {
      assert.ok(key in real, `${way} has no ${key}: ${JSON.stringify(real).slice(0, 200)}`);
      assertShows(inner, (real as Record<string, unknown>)[key], `${way}/${key}`);
    }
  } else assert.equal(typeof real, typeof shown, way);
}

test("every event of docs/events.md is one, and every type has an example there", () => {
  const [envelope, ...examples] = blocksOf("events.md").flatMap((block) => valuesOf(block.text)) as {
    type: EventType;
    data: unknown;
  }[];
  parseEvent(envelope);
  for (const { type, data } of examples) {
    const parsed = catalog[type].safeParse(data);
    assert.ok(parsed.success, `${type}: ${parsed.error?.message}`);
  }
  assert.deepEqual(new Set(examples.map((example) => example.type)), new Set(Object.keys(catalog)));
});

test("the commands of docs/api.md run as they stand, and answer what is shown", async (t) => {
  try {
    await run("curl", ["--version"]);
  } catch {
    t.skip(missing("curl"));
    return;
  }
  const token = "the-token-of-this-test";
  const { api } = await startServer(t, { token, version: "0.1.0" });
  const home = await mkdtemp(join(tmpdir(), "parley-docs-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  await mkdir(join(home, ".local", "share", "parley"), { recursive: true });
  await writeFile(join(home, ".local", "share", "parley", "token"), token);

  const blocks = blocksOf("api.md");
  const commands = blocks.filter((block) => block.language === "sh").map((block) => block.text);
  const mark = (at: number): string => `\necho; echo "-- ${at}"\n`;
  const script = commands.map(
    (text, at) => text.replace("http://127.0.0.1:7420", api.url).replaceAll(/^(api|curl) .*$/gm, "$&\necho") + mark(at),
  );
  const { stdout } = await run("bash", ["-euc", script.join("")], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    timeout: 60_000,
  });
  const outputs = stdout.split(/\n-- \d+\n/);

  for (const [at, block] of blocks.entries()) {
    const before = blocks[at - 1];
    if (before?.language !== "sh" || block.language === "sh") continue;
    const number = commands.indexOf(before.text);
    const output = outputs[number] ?? "";
    if (block.language === "text") {
      const fixed = block.text.split(/ses_\S+|\n|,…/).filter((piece) => piece.trim() !== "");
      for (const piece of fixed.filter((one) => !one.includes("…")))
        assert.ok(output.includes(piece), `${piece} in ${output}`);
    } else assertShows(valuesOf(block.text), valuesOf(output), before.text);
  }
});
