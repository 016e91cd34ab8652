import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { hasCredentials, recentModels } from "../../../../src/agents/opencode/discovery/places.ts";
import { keysOfConfig, projectSettings } from "../../../../src/agents/opencode/discovery/project-settings.ts";
import { tempDirectory } from "../../../host/support.ts";

function write(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const KEY = '{ "provider": { "mine": { "options": { "apiKey": "k" } } } }';
const logins: [what: string, files: Record<string, string>, env: Record<string, string>, expected: boolean][] = [
  ["nothing", {}, {}, false],
  ["a login", { ".local/share/opencode/auth.json": '{ "anthropic": { "type": "api", "key": "k" } }' }, {}, true],
  ["no login any more", { ".local/share/opencode/auth.json": "{}" }, {}, false],
  ["a broken file of logins", { ".local/share/opencode/auth.json": "nonsense" }, {}, false],
  ["a login in a variable", {}, { OPENCODE_AUTH_CONTENT: '{ "a": { "type": "api", "key": "k" } }' }, true],
  ["a key in the configuration", { ".config/opencode/opencode.jsonc": `// mine\n${KEY}` }, {}, true],
  ["a provider without a key", { ".config/opencode/opencode.json": '{ "provider": { "mine": {} } }' }, {}, false],
  ["a key in a variable's configuration", {}, { OPENCODE_CONFIG_CONTENT: KEY }, true],
];
for (const [what, files, env, expected] of logins) {
  test(`credentials of OpenCode: ${what}`, async (t) => {
    const HOME = await tempDirectory(t);
    write(HOME, files);
    assert.equal(await hasCredentials({ HOME, ...env }), expected);
  });
}

test("the models that were used last are read, newest first", async (t) => {
  const HOME = await tempDirectory(t);
  assert.deepEqual(await recentModels({ HOME }), []);
  const recent = [{ providerID: "a", modelID: "b/c" }, { providerID: "d" }];
  write(HOME, { "state/opencode/model.json": JSON.stringify({ recent }) });
  assert.deepEqual(await recentModels({ HOME, XDG_STATE_HOME: join(HOME, "state") }), ["a/b/c"]);
});

const configs: [what: string, text: string, keys: string[] | undefined][] = [
  [
    "names of things in it",
    '{ "$schema": "x", "mcp": { "db": {} }, "plugin": ["evil"], "model": "a/b" }',
    ["mcp.db", "plugin.evil", "model"],
  ],
  [
    "comments and last commas",
    '{ // "a": 1\n "theme": "// no comment, ]", /* b */ "share": "auto", }',
    ["theme", "share"],
  ],
  ["a switch where a list could be", '{ "lsp": false, "permission": "allow" }', ["lsp", "permission"]],
  ["no JSON", "{", undefined],
  ["no object", "[]", undefined],
];
for (const [what, text, keys] of configs) {
  test(`the keys of a project's configuration: ${what}`, () => assert.deepEqual(keysOfConfig(text), keys));
}

test("the settings of a project are found up to its root, and the user's own are none of them", async (t) => {
  const home = await tempDirectory(t);
  write(home, {
    "opencode.json": '{ "model": "of the home directory" }',
    ".opencode/command/mine.md": "mine",
    "work/.git/HEAD": "",
    "work/opencode.jsonc": '{ "mcp": { "db": {} } }',
    "work/AGENTS.md": "words",
    "work/.opencode/plugin/evil.js": "",
    "work/.opencode/agents/helper.md": "",
    "work/.claude/skills/tricks/SKILL.md": "",
    "work/sub/opencode.json": "broken",
    "work/sub/.opencode/opencode.json": '{ "formatter": { "x": {} } }',
  });
  const found = await projectSettings(join(home, "work", "sub"), home);
  assert.deepEqual(
    found.toSorted((a, b) => a.path.localeCompare(b.path)),
    [
      { path: ".opencode/opencode.json", keys: ["formatter.x"] },
      { path: join(home, "work/.claude/skills"), keys: ["tricks"] },
      { path: join(home, "work/.opencode/agents"), keys: ["helper"] },
      { path: join(home, "work/.opencode/plugin"), keys: ["evil.js"] },
      { path: join(home, "work/AGENTS.md") },
      { path: join(home, "work/opencode.jsonc"), keys: ["mcp.db"] },
      { path: "opencode.json" },
    ].toSorted((a, b) => a.path.localeCompare(b.path)),
  );
  assert.deepEqual(await projectSettings(home, home), [{ path: "opencode.json", keys: ["model"] }]);
});
