import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { findAll, findCredential, findKey } from "../../src/credentials/find.ts";
import { claudeFiles, codexHome, homeOf, opencodeFile } from "../../src/credentials/places.ts";
import { tempDirectory } from "../host/support.ts";

const LOGIN = { claudeAiOauth: { accessToken: "login", refreshToken: "r", expiresAt: 9e12 } };
const FILES: Readonly<Record<string, unknown>> = {
  ".claude/settings.json": { env: { ANTHROPIC_AUTH_TOKEN: "set" } },
  ".claude/.credentials.json": LOGIN,
  ".claude.json": { primaryApiKey: "main" },
  ".codex/auth.json": { OPENAI_API_KEY: "codex" },
  ".local/share/opencode/auth.json": { openai: { type: "api", key: "open" }, groq: { type: "api", key: "groq" } },
};

function plant(home: string, files: Readonly<Record<string, unknown>> = FILES): void {
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), typeof value === "string" ? value : JSON.stringify(value), { mode: 0o600 });
  }
}

test("every place is looked at, in the documented order", async (t) => {
  const HOME = await tempDirectory(t);
  plant(HOME);
  const env = {
    ...{ HOME, GROQ_API_KEY: "1", CODEX_API_KEY: "2", OPENAI_API_KEY: "3", CLAUDE_CODE_OAUTH_TOKEN: "4", LOCAL: "8" },
    ...{ ANTHROPIC_AUTH_TOKEN: "5", CLAUDE_API_KEY: "6", ANTHROPIC_API_KEY: "7", MISTRAL_API_KEY: " " },
  };
  const { credentials, problems } = findAll(env, { endpoints: { local: "LOCAL" } });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    credentials.map(({ source, secret }) => [source.name.replace(`${HOME}/`, ""), secret?.reveal()]),
    [
      ["ANTHROPIC_API_KEY", "7"],
      ["CLAUDE_API_KEY", "6"],
      ["ANTHROPIC_AUTH_TOKEN", "5"],
      ["CLAUDE_CODE_OAUTH_TOKEN", "4"],
      ["OPENAI_API_KEY", "3"],
      ["CODEX_API_KEY", "2"],
      ["GROQ_API_KEY", "1"],
      ["LOCAL", "8"],
      [".claude/settings.json", "set"],
      [".claude/.credentials.json", "login"],
      [".claude.json", "main"],
      [".codex/auth.json", "codex"],
      [".local/share/opencode/auth.json", "open"],
      [".local/share/opencode/auth.json", "groq"],
    ],
  );
});

test("directories may be elsewhere; a relative home or data directory means nothing", () => {
  const at = (env: Record<string, string>): string[] => [claudeFiles(env).main, codexHome(env), opencodeFile(env)];
  assert.deepEqual(at({ HOME: "/h" }), ["/h/.claude.json", "/h/.codex", "/h/.local/share/opencode/auth.json"]);
  assert.deepEqual(at({ HOME: "/h", CLAUDE_CONFIG_DIR: "/c", CODEX_HOME: "/x", XDG_DATA_HOME: "/d" }), [
    "/c/.claude.json",
    "/x",
    "/d/opencode/auth.json",
  ]);
  assert.deepEqual(
    at({ HOME: "/h", CLAUDE_CONFIG_DIR: "", CODEX_HOME: "", XDG_DATA_HOME: "data" }),
    at({ HOME: "/h" }),
  );
  for (const env of [{}, { HOME: "" }, { HOME: "here" }]) assert.equal(homeOf(env), userInfo().homedir);
});

test("OpenCode's variable stands for its file, unless it is broken", async (t) => {
  const HOME = await tempDirectory(t);
  plant(HOME);
  const content = (text: string) => findAll({ HOME, OPENCODE_AUTH_CONTENT: text });
  const readers = (text: string): (string | undefined)[][] =>
    content(text)
      .credentials.filter(({ source }) => /OPENCODE|opencode/.test(source.name))
      .map(({ source, provider, readBy }) => [source.kind, provider, readBy.join()]);
  assert.deepEqual(readers('{"xai":{"type":"api","key":"x"},"groq":{"type":"api","key":"y"}}'), [
    ["variable", "xai", "opencode"],
    ["variable", "groq", "opencode"],
    ["file", "openai", ""],
    ["file", "groq", ""],
  ]);
  assert.deepEqual(readers("{"), [
    ["file", "openai", "opencode"],
    ["file", "groq", "opencode"],
  ]);
  assert.equal(content("{").problems[0]?.source.name, "OPENCODE_AUTH_CONTENT");
});

test("a variable that several agents name is one credential", async (t) => {
  const HOME = await tempDirectory(t);
  const config = 'model_provider = "own"\n[model_providers.own]\nenv_key = "OPENROUTER_API_KEY"\n';
  plant(HOME, { ".codex/config.toml": config });
  const { credentials } = findAll({ HOME, OPENROUTER_API_KEY: "k" }, { endpoints: { mine: "OPENROUTER_API_KEY" } });
  assert.deepEqual(
    credentials.map(({ provider, readBy }) => [provider, ...readBy]),
    [["openrouter", "opencode", "house", "codex"]],
  );
});

test("broken files, and open ones that hold a secret, are said by name; open settings without one are not", async (t) => {
  const HOME = await tempDirectory(t);
  plant(HOME, { ".codex/auth.json": "{", ".claude/.credentials.json": "", ".local/share/opencode/auth.json": "[1]" });
  writeFileSync(join(HOME, ".claude", "settings.json"), '{"model":"opus"}', { mode: 0o644 });
  writeFileSync(join(HOME, ".claude.json"), '{"primaryApiKey":"k"}', { mode: 0o644 });
  const { problems } = findAll({ HOME });
  assert.deepEqual(
    problems.map(({ source, code, detail }) => [source.name.replace(`${HOME}/`, ""), code, detail]),
    [
      [".claude/.credentials.json", "broken", "it is empty"],
      [".claude.json", "open_to_others", "other users can read it (mode 0644)"],
      [".codex/auth.json", "broken", "it is not a JSON object"],
      [".local/share/opencode/auth.json", "broken", "it is not a JSON object"],
    ],
  );
});

test("an agent's credential is the first that it reads, and OpenCode's own store comes first", async (t) => {
  const HOME = await tempDirectory(t);
  plant(HOME, { ".local/share/opencode/auth.json": { openai: { type: "api", key: "open" } } });
  const env = { HOME, OPENAI_API_KEY: "k" };
  assert.equal(findCredential("opencode", env)?.name, opencodeFile(env));
  assert.equal(findCredential("opencode", { HOME: "/nonexistent", OPENAI_API_KEY: "k" })?.name, "OPENAI_API_KEY");
  assert.equal(findCredential("codex", env), undefined);
  assert.equal(findCredential("claude", env), undefined);
});

test("a key is found in files of other agents, and a login is no key", async (t) => {
  const HOME = await tempDirectory(t);
  plant(HOME);
  assert.equal(findKey("anthropic", { HOME }), "main");
  assert.equal(findKey("openai", { HOME }), "codex");
  plant(HOME, { ".claude.json": {} });
  assert.equal(findKey("anthropic", { HOME }), undefined);
});
