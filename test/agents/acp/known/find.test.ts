import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findCommand, findKnown } from "../../../../src/agents/acp/known/find.ts";
import { knownAgent } from "../../../../src/agents/acp/known/known.ts";
import { projectFiles } from "../../../../src/agents/acp/known/project-files.ts";
import { chooseVersion, versionDirectory, writeFacts } from "../../../../src/install/layout.ts";
import { temporary } from "../../../support/server.ts";

function program(path: string, mode = 0o755): string {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n", { mode });
  return path;
}

function entry(name: string) {
  const known = knownAgent(name);
  assert.ok(known);
  return known;
}

test("a program of the search path comes first, then the one that Parley installed", async (t) => {
  const root = await temporary(t);
  const places = { dataDirectory: join(root, "data"), env: { PATH: join(root, "bin") } };
  const gemini = entry("gemini");
  const missing = findKnown(gemini, places);
  assert.ok("missing" in missing);
  assert.match(missing.missing, /gemini was not found: run "parley install gemini", or npm install -g/);

  const agents = join(root, "data", "agents");
  const installed = versionDirectory(agents, "gemini", "0.61.0");
  const script = program(join(installed, "gemini.js"));
  writeFacts(installed, { version: "0.61.0", program: "gemini.js", node: true });
  chooseVersion(agents, "gemini", "0.61.0");
  const own = findKnown(gemini, places);
  assert.deepEqual(own, { argv: [process.execPath, script, "--acp"], detail: script, version: "0.61.0" });

  const found = program(join(root, "bin", "gemini"));
  assert.deepEqual(findKnown(gemini, places), { argv: [found, "--acp"], detail: found, searched: true });
});

test("a known agent without a package says how its makers have it installed", async (t) => {
  const root = await temporary(t);
  const search = findKnown(entry("kiro"), { dataDirectory: root, env: {} });
  assert.ok("missing" in search);
  assert.match(search.missing, /kiro-cli or kiro-cli-chat was not found: install the Kiro CLI/);
});

test("opencode-acp is the program that was installed for opencode", async (t) => {
  const root = await temporary(t);
  const directory = versionDirectory(join(root, "agents"), "opencode", "1.18.33");
  const path = program(join(directory, "opencode"));
  writeFacts(directory, { version: "1.18.33", program: "opencode" });
  chooseVersion(join(root, "agents"), "opencode", "1.18.33");
  const found = findKnown(entry("opencode-acp"), { dataDirectory: root, env: {} });
  assert.deepEqual(found, { argv: [path, "acp"], detail: path, version: "1.18.33" });
});

test("a program that depends on the directory is never found", async (t) => {
  const root = await temporary(t);
  const here = process.cwd();
  t.after(() => process.chdir(here));
  process.chdir(root);
  program(join(root, "evil"));
  program(join(root, "bin", "evil"));
  program(join(root, "node_modules", ".bin", "evil"));
  program(join(root, "plain", "evil"), 0o644);
  mkdirSync(join(root, "folder", "evil"), { recursive: true });
  const paths = [
    ".",
    "",
    "bin",
    "./bin",
    ":",
    "./node_modules/.bin",
    join(root, "node_modules/.bin"),
    `${root}/node_modules/.bin/`,
  ];
  for (const PATH of [...paths, join(root, "plain"), join(root, "folder")])
    assert.ok("missing" in findCommand(["evil"], { env: { PATH } }), PATH);
  for (const name of ["./evil", "bin/evil", "", ".", ".."])
    assert.ok("missing" in findCommand([name], { env: { PATH: root } }), name);
  assert.deepEqual(findCommand(["evil"], { env: { PATH: root } }), {
    argv: [join(root, "evil")],
    detail: join(root, "evil"),
    searched: true,
  });
  const named = findCommand([join(root, "evil"), "x"], { env: {} });
  assert.deepEqual(named, { argv: [join(root, "evil"), "x"], detail: join(root, "evil") });
});

test("files of a project that an agent would run are found in the directory and above, up to the repository's root", async (t) => {
  const root = await temporary(t);
  const inner = join(root, "repo", "a", "b");
  mkdirSync(join(root, "repo", ".git"), { recursive: true });
  mkdirSync(join(root, "repo", ".cursor"), { recursive: true });
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(root, ".mcp.json"), "{}");
  assert.deepEqual(await projectFiles(inner, root), [], "an empty folder, and files above the repository");
  writeFileSync(join(root, "repo", ".cursor", "mcp.json"), "{}");
  symlinkSync("/nowhere", join(inner, ".mcp.json"));
  writeFileSync(join(inner, ".env"), "");
  const paths = (await projectFiles(inner, root)).map(({ path }) => path).sort();
  assert.deepEqual(paths, [".env", join(root, "repo", ".cursor/")].sort());
  assert.deepEqual(await projectFiles(inner, root, [".gemini/settings.json"]), []);
});
