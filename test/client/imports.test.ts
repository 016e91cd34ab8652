import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { isBuiltin, stripTypeScriptTypes } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const IMPORT = /(?:^|[;\n])\s*(?:import|export)\s(?:[^;'"]*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

/** The imports of a module without its types. */
async function importsOf(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8");
  const code = path.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
  return [...code.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? "");
}

/** Every file that a module needs to run, with the names that are not files of ours. */
async function graphOf(entry: string): Promise<{ files: string[]; names: string[] }> {
  const files = new Set([entry]);
  const names = new Set<string>();
  for (const path of files) {
    for (const name of await importsOf(path)) {
      if (name.startsWith(".")) files.add(resolve(dirname(path), name));
      else names.add(name);
    }
  }
  return { files: [...files].map((path) => relative(ROOT, path)).sort(), names: [...names].sort() };
}

test("the client needs the web platform and one parser, nothing of Node and nothing of the server", async () => {
  const { files, names } = await graphOf(resolve(ROOT, "src/client/index.ts"));
  assert.ok(files.length > 10);
  assert.deepEqual(
    files.filter((path) => !path.startsWith("src/client/")),
    [],
  );
  assert.deepEqual(names, ["eventsource-parser"]);
});

test("its parser needs nothing at all", async () => {
  const { names } = await graphOf(fileURLToPath(import.meta.resolve("eventsource-parser")));
  assert.deepEqual(names, []);
});

test("the walk would see what it looks for", async () => {
  const { files, names } = await graphOf(resolve(ROOT, "src/core/events/event.ts"));
  assert.ok(files.includes("src/core/events/catalog.ts"));
  assert.ok(names.includes("zod"));
  const server = await graphOf(resolve(ROOT, "src/server/http/listener.ts"));
  assert.ok(server.names.some(isBuiltin));
});
