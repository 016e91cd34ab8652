import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { keysOfConfig } from "../../../src/agents/codex/discovery/config-keys.ts";
import { keysOfHooks, projectSettings } from "../../../src/agents/codex/discovery/project-settings.ts";
import { temporary } from "../../support/server.ts";
import { HostileProject } from "./hostile-project.ts";

const texts: [text: string, keys: string[]][] = [
  ['model = "x"\nnotify = [\n  "sh",\n  "-c = x"]\n', ["model", "notify"]],
  ['[mcp_servers.db]\ncommand = "x"\n[mcp_servers."my.web"]\nurl = "y"', ["mcp_servers.db", "mcp_servers.my.web"]],
  [
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\n[hooks]\nPreToolUse = []",
    ["hooks.Stop", "hooks.PreToolUse"],
  ],
  ["hooks.Stop = []\nfeatures = { a = true }\n", ["hooks.Stop", "features"]],
  ['[projects."/a.b"]\ntrust_level = "trusted"', ["projects"]],
  ['a = """\nb = 1\n"""\nc = 2\r\n# d = 3\n', ["a", "c"]],
  ["\ufeffmodel='x'", ["model"]],
  ["not TOML", []],
  ["", []],
];

for (const [text, keys] of texts) {
  test(`the settings in ${JSON.stringify(text)}`, () => assert.deepEqual(keysOfConfig(text), keys));
}

test("lines without an end are read at once", () => {
  for (const piece of ["a", " ", "a ", "a.", '"', "[", "[a", '"""', "'''"]) {
    const text = piece.repeat(400_000 / piece.length);
    for (const odd of [text, `[${text}`, `${text}.`]) assert.ok(keysOfConfig(odd).length <= 1, piece);
  }
});

test("hooks are known by their events, and no text is too odd to be looked at", () => {
  assert.deepEqual(keysOfHooks('{"hooks":{"Stop":[],"PreToolUse":[]}}'), ["hooks.Stop", "hooks.PreToolUse"]);
  assert.deepEqual(keysOfHooks("{}"), []);
  assert.equal(keysOfHooks("[]"), undefined);
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.json());
  fc.assert(
    fc.property(texts, (text) => {
      for (const keys of [keysOfConfig(text), keysOfHooks(text)])
        assert.ok(keys === undefined || keys.every((key) => typeof key === "string"));
    }),
  );
});

test("everything that a hostile project sets is named", async (t) => {
  const root = await temporary(t);
  new HostileProject(join(root, "project"), join(root, "markers"));
  const found = await projectSettings(join(root, "project"));
  const keys = new Map(found.map((one) => [one.path, one.keys ?? []]));
  assert.deepEqual([...keys.keys()].sort(), [
    ".codex/agents",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".codex/rules",
    "AGENTS.md",
  ]);
  for (const key of [
    "approval_policy",
    "sandbox_mode",
    "notify",
    "mcp_servers.hostile",
    "hooks.SessionStart",
    "projects",
  ])
    assert.ok(keys.get(".codex/config.toml")?.includes(key), key);
  assert.ok(keys.get(".codex/config.toml")?.includes("shell_environment_policy.set"));
  assert.ok(keys.get(".codex/hooks.json")?.includes("hooks.Stop"));
  assert.deepEqual(keys.get(".codex/rules"), ["hostile"]);
  assert.deepEqual(keys.get(".codex/agents"), ["spy"]);
});

test("settings above the directory are named up to the repository's root", async (t) => {
  const root = await temporary(t);
  new HostileProject(join(root, "repository"), join(root, "markers"));
  writeFileSync(join(root, "AGENTS.md"), "not of the repository");
  mkdirSync(join(root, "repository", ".git"));
  const below = join(root, "repository", "a", "b");
  mkdirSync(below, { recursive: true });
  writeFileSync(join(below, "AGENTS.override.md"), "x");
  const found = (await projectSettings(below)).map(({ path }) => path);
  assert.ok(found.includes("AGENTS.override.md"));
  assert.ok(found.includes(join(root, "repository", ".codex/config.toml")));
  assert.ok(found.includes(join(root, "repository", ".codex/rules")));
  assert.ok(!found.includes(join(root, "AGENTS.md")));
});

test("in the home directory .codex is the user's own", async (t) => {
  const home = await temporary(t);
  new HostileProject(home, join(home, "markers"));
  assert.deepEqual(
    (await projectSettings(home, home)).map(({ path }) => path),
    ["AGENTS.md"],
  );
  const below = join(home, "work");
  mkdirSync(below);
  assert.deepEqual(await projectSettings(below, home), []);
});

test("pipes, devices, links to nowhere and huge files are named without being read", async (t) => {
  const root = await temporary(t);
  mkdirSync(join(root, ".codex"));
  execFileSync("mkfifo", [join(root, ".codex", "config.toml")]);
  symlinkSync("/dev/zero", join(root, ".codex", "hooks.json"));
  symlinkSync(join(root, "nowhere"), join(root, "AGENTS.md"));
  writeFileSync(join(root, "AGENTS.override.md"), "x".repeat(2_000_000));
  assert.deepEqual(await projectSettings(root), [
    { path: ".codex/config.toml" },
    { path: ".codex/hooks.json" },
    { path: "AGENTS.override.md" },
  ]);
});
