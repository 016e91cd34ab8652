import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findCredentials } from "../../../src/agents/claude/credentials.ts";
import { tempDirectory } from "../../host/support.ts";

const login = (expiresAt: number): string => JSON.stringify({ claudeAiOauth: { accessToken: "secret", expiresAt } });

test("credentials are found in the program's order, and only their place is told", async (t) => {
  const HOME = await tempDirectory(t);
  mkdirSync(join(HOME, ".claude"));
  const write = (name: string, text: string): void => writeFileSync(join(HOME, name), text);
  const find = (env: Record<string, string> = {}): ReturnType<typeof findCredentials> =>
    findCredentials({ HOME, ...env }, 1_000);

  assert.equal(await find(), undefined);
  write(".claude.json", '{"primaryApiKey":"secret"}');
  assert.deepEqual(await find(), { kind: "file", name: join(HOME, ".claude.json") });
  write(".claude/.credentials.json", login(2_000));
  assert.deepEqual(await find(), { kind: "file", name: join(HOME, ".claude", ".credentials.json"), expired: false });
  write(".claude/.credentials.json", login(500));
  assert.equal((await find())?.expired, true);
  write(".claude/settings.json", '{"apiKeyHelper":"/bin/key"}');
  assert.deepEqual(await find(), { kind: "file", name: join(HOME, ".claude", "settings.json") });
  assert.deepEqual(await find({ CLAUDE_CODE_OAUTH_TOKEN: "secret" }), {
    kind: "variable",
    name: "CLAUDE_CODE_OAUTH_TOKEN",
  });
  assert.equal((await find({ CLAUDE_CODE_OAUTH_TOKEN: "x", ANTHROPIC_API_KEY: "y" }))?.name, "ANTHROPIC_API_KEY");
  assert.equal((await find({ CLAUDE_API_KEY: "x" }))?.name, join(HOME, ".claude", "settings.json"));
  assert.doesNotMatch(JSON.stringify(await find()), /secret/);
});

test("the directory of the settings may be elsewhere, and broken files are none", async (t) => {
  const elsewhere = await tempDirectory(t);
  const find = (): ReturnType<typeof findCredentials> =>
    findCredentials({ HOME: "/nonexistent", CLAUDE_CONFIG_DIR: elsewhere });
  writeFileSync(join(elsewhere, ".credentials.json"), "{ not json");
  assert.equal(await find(), undefined);
  writeFileSync(join(elsewhere, ".credentials.json"), login(0));
  assert.equal((await find())?.name, join(elsewhere, ".credentials.json"));
});
