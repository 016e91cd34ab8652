import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { projectSettings } from "../../../src/agents/claude/project-settings.ts";
import { keysOfServers, keysOfSettings } from "../../../src/agents/claude/settings-keys.ts";
import { carefulGit } from "../../../src/core/git-settings.ts";
import { temporary } from "../../support/server.ts";
import { HostileProject } from "./hostile-project.ts";

const texts: [text: string, keys: string[] | undefined][] = [
  ['{"hooks":{"Stop":[],"SessionStart":[]},"apiKeyHelper":"x"}', ["hooks.Stop", "hooks.SessionStart", "apiKeyHelper"]],
  ['{"$schema":"x","env":{"PATH":"."},"permissions":{"allow":[]}}', ["env.PATH", "permissions.allow"]],
  ['{"hooks":"odd","env":[]}', ["hooks", "env"]],
  ['\ufeff{"model":"x"}', ["model"]],
  ["{}", []],
  ["[]", undefined],
  ["not JSON", undefined],
];

for (const [text, keys] of texts) {
  test(`the settings in ${JSON.stringify(text)}`, () => assert.deepEqual(keysOfSettings(text), keys));
}

test("servers are known by their names, and no text is too odd to be looked at", () => {
  assert.deepEqual(keysOfServers('{"mcpServers":{"db":{},"web":{}}}'), ["db", "web"]);
  assert.deepEqual(keysOfServers("{}"), []);
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.json());
  fc.assert(
    fc.property(texts, (text) => {
      for (const keys of [keysOfSettings(text), keysOfServers(text)])
        assert.ok(keys === undefined || keys.every((key) => typeof key === "string"));
    }),
  );
});

test("everything of a hostile project is named", async (t) => {
  const root = await temporary(t);
  new HostileProject(join(root, "project"), join(root, "markers"));
  const found = await projectSettings(join(root, "project"));
  assert.deepEqual(found.map(({ path }) => path).sort(), [
    ".claude/CLAUDE.md",
    ".claude/agents",
    ".claude/commands",
    ".claude/output-styles",
    ".claude/rules",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/skills",
    ".mcp.json",
    "CLAUDE.md",
  ]);
  const keys = new Map(found.map((one) => [one.path, one.keys ?? []]));
  for (const key of ["hooks.SessionStart", "apiKeyHelper", "permissions.defaultMode", "env.BASH_ENV", "enabledPlugins"])
    assert.ok(keys.get(".claude/settings.json")?.includes(key), key);
  assert.deepEqual(keys.get(".mcp.json"), ["hostile"]);
  assert.deepEqual(keys.get(".claude/skills"), ["bad", "plug"]);
});

test("files above the directory are named up to the repository's root, but not settings, which only count where the agent works", async (t) => {
  const root = await temporary(t);
  new HostileProject(join(root, "repository"), join(root, "markers"));
  writeFileSync(join(root, "CLAUDE.md"), "not of the repository");
  mkdirSync(join(root, "repository", ".git"));
  const below = join(root, "repository", "a", "b");
  mkdirSync(below, { recursive: true });
  const found = (await projectSettings(below)).map(({ path }) => path);
  assert.ok(found.includes(join(root, "repository", ".mcp.json")));
  assert.ok(found.includes(join(root, "repository", ".claude/agents")));
  assert.ok(!found.includes(join(root, "CLAUDE.md")));
  assert.ok(!found.some((path) => path.includes("settings")));
});

test("in the home directory .claude is the user's own", async (t) => {
  const home = await temporary(t);
  new HostileProject(home, join(home, "markers"));
  assert.deepEqual(
    (await projectSettings(home, home)).map(({ path }) => path),
    [".mcp.json", "CLAUDE.md"],
  );
  const below = join(home, "work");
  mkdirSync(below);
  assert.deepEqual(await projectSettings(below, home), []);
});

test("pipes, devices, links to nowhere and huge files are named without being read", async (t) => {
  const root = await temporary(t);
  mkdirSync(join(root, ".claude"));
  execFileSync("mkfifo", [join(root, ".claude", "settings.json")]);
  symlinkSync("/dev/zero", join(root, ".claude", "settings.local.json"));
  symlinkSync(join(root, "nowhere"), join(root, "CLAUDE.md"));
  writeFileSync(join(root, ".mcp.json"), `{"mcpServers":{"a":"${"x".repeat(2_000_000)}"}}`);
  mkdirSync(join(root, "CLAUDE.local.md"));
  assert.deepEqual(await projectSettings(root), [
    { path: ".claude/settings.json" },
    { path: ".claude/settings.local.json" },
    { path: ".mcp.json" },
    { path: "CLAUDE.local.md" },
  ]);
});

test("git's settings come after those that are in the environment already", () => {
  assert.deepEqual(carefulGit({ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" }), {
    GIT_CONFIG_KEY_1: "core.fsmonitor",
    GIT_CONFIG_VALUE_1: "false",
    GIT_CONFIG_KEY_2: "safe.bareRepository",
    GIT_CONFIG_VALUE_2: "explicit",
    GIT_CONFIG_COUNT: "3",
  });
  assert.equal(carefulGit({ GIT_CONFIG_COUNT: "nonsense" }).GIT_CONFIG_COUNT, "2");
});
