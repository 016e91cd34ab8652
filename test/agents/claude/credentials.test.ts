import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findCredential } from "../../../src/credentials/find.ts";
import { tempDirectory } from "../../host/support.ts";

const login = (expiresAt: number): string => JSON.stringify({ claudeAiOauth: { accessToken: "secret", expiresAt } });

test("credentials are found in the program's order, and only their place is told", async (t) => {
  const HOME = await tempDirectory(t);
  mkdirSync(join(HOME, ".claude"));
  const write = (name: string, text: string): void => writeFileSync(join(HOME, name), text);
  const find = (env: Record<string, string> = {}): ReturnType<typeof findCredential> =>
    findCredential("claude", { HOME, ...env }, 1_000);

  assert.equal(find(), undefined);
  write(".claude.json", '{"primaryApiKey":"secret"}');
  assert.deepEqual(find(), { kind: "file", name: join(HOME, ".claude.json") });
  write(".claude/.credentials.json", login(2_000));
  assert.deepEqual(find(), { kind: "file", name: join(HOME, ".claude", ".credentials.json"), expired: false });
  write(".claude/.credentials.json", login(500));
  assert.equal(find()?.expired, true);
  write(".claude/settings.json", '{"apiKeyHelper":"/bin/key"}');
  assert.deepEqual(find(), { kind: "file", name: join(HOME, ".claude", "settings.json") });
  assert.deepEqual(find({ CLAUDE_CODE_OAUTH_TOKEN: "secret" }), {
    kind: "variable",
    name: "CLAUDE_CODE_OAUTH_TOKEN",
  });
  assert.equal(find({ CLAUDE_CODE_OAUTH_TOKEN: "x", ANTHROPIC_API_KEY: "y" })?.name, "ANTHROPIC_API_KEY");
  assert.equal(find({ CLAUDE_API_KEY: "x" })?.name, join(HOME, ".claude", "settings.json"));
  assert.doesNotMatch(JSON.stringify(find()), /secret/);
});

test("the directory of the settings may be elsewhere, and broken files are none", async (t) => {
  const elsewhere = await tempDirectory(t);
  const find = (): ReturnType<typeof findCredential> =>
    findCredential("claude", { HOME: "/nonexistent", CLAUDE_CONFIG_DIR: elsewhere });
  writeFileSync(join(elsewhere, ".credentials.json"), "{ not json");
  assert.equal(find(), undefined);
  writeFileSync(join(elsewhere, ".credentials.json"), login(0));
  assert.equal(find()?.name, join(elsewhere, ".credentials.json"));
});
