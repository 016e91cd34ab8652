import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { matches } from "../../../../src/core/permissions/glob.ts";
import {
  configuredRules,
  type PermissionConfig,
  rulesOf,
} from "../../../../src/surfaces/opencode/sessions/configured-rules.ts";
import type { PermissionRule } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { temporary } from "../../../support/server.ts";
import { opencodeRig } from "../rig.ts";

const shown = (rules: readonly PermissionRule[]): string[] =>
  rules.map(({ permission, pattern, action }) => `${permission} ${pattern} ${action}`);

test("a configuration's rules are in its order; ~ is the home", () => {
  assert.deepEqual(shown(rulesOf({ "*": "ask", bash: { "*": "deny", "git *": "allow" }, read: { "~/x/*": "ask" } })), [
    "* * ask",
    "bash * deny",
    "bash git * allow",
    `read ${homedir()}/x/* ask`,
  ]);
});

test("a trusted project's configuration is merged into the user's, as OpenCode does it", () => {
  const user: PermissionConfig = { "*": "ask", bash: { "*": "ask", "rm *": "deny" }, edit: "allow" };
  const project: PermissionConfig = { "*": "deny", bash: { "rm *": "allow", "ls *": "allow" }, webfetch: "allow" };
  assert.deepEqual(shown(configuredRules(user, project, true).rules), [
    "* * deny",
    "bash * ask",
    "bash rm * allow",
    "bash ls * allow",
    "edit * allow",
    "webfetch * allow",
  ]);
});

test("a project that is not trusted can deny and have the user asked, and allow nothing", () => {
  const project: PermissionConfig = { bash: { "rm *": "deny", "*": "ask" }, edit: "allow", webfetch: "ask" };
  const { rules, leftOut } = configuredRules({ edit: "ask", webfetch: "deny" }, project, false);
  assert.deepEqual(shown(rules), ["edit * ask", "webfetch * deny", "bash * ask", "bash rm * deny"]);
  assert.deepEqual(shown(leftOut), ["edit * allow", "webfetch * ask"]);
});

const STRICT = { allow: 0, ask: 1, deny: 2 } as const;

/** The last rule that fits counts; where none does, the agent itself decides, which is as good as asking. */
function verdict(rules: readonly PermissionRule[], tool: string, text: string): keyof typeof STRICT {
  const fits = (rule: PermissionRule): boolean => matches(rule.permission, tool) && matches(rule.pattern, text);
  return rules.findLast(fits)?.action ?? "ask";
}

test("no project that is not trusted makes anything looser than the user's configuration alone", () => {
  const action = fc.constantFrom("allow", "ask", "deny");
  const patterns = fc.dictionary(fc.constantFrom("*", "git *", "rm *", "rm -r x"), action);
  const config = fc.dictionary(fc.constantFrom("*", "bash", "edit", "web*"), fc.oneof(action, patterns));
  fc.assert(
    fc.property(config, config, fc.constantFrom("bash", "edit", "webfetch"), (user, project, tool) => {
      const alone = rulesOf(user as PermissionConfig);
      const { rules } = configuredRules(user as PermissionConfig, project as PermissionConfig, false);
      for (const text of ["git status", "rm -r x", "rm y", "ls"])
        assert.ok(STRICT[verdict(rules, tool, text)] >= STRICT[verdict(alone, tool, text)], text);
    }),
  );
});

async function configured(t: TestContext) {
  const home = await temporary(t);
  const before = process.env.XDG_CONFIG_HOME;
  process.env.XDG_CONFIG_HOME = home;
  t.after(() => {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = before;
  });
  const trust = { file: join(await temporary(t), "trusted"), configured: [] };
  const { client, server } = await opencodeRig(t, { trust });
  const create = async (path: string, body: object = {}): Promise<string[]> => {
    const made = await client.expect<{ id: string; data?: { id: string } }>(200, "POST", path, { body });
    const { permissions = [] } = await server.api.session(made.data?.id ?? made.id);
    return permissions.map(({ action, pattern, verdict }) => `${action} ${pattern} ${verdict}`);
  };
  const config = async (path: string, text: string): Promise<void> => {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, text);
  };
  return { create, config, server, home: join(home, "opencode") };
}

test("sessions of OpenCode's clients get the user's rules and the project's, as far as it is trusted", async (t) => {
  const { create, config, server, home } = await configured(t);
  const { directory } = server;
  assert.deepEqual(await create("/session"), []);
  await config(join(home, "opencode.jsonc"), '{ // mine\n "permission": { "bash": "ask", "webfetch": "allow", } }');
  await config(join(directory, "opencode.json"), '{ "permission": { "edit": "allow", "bash": { "rm *": "deny" } } }');
  const untrusted = ["bash * ask", "webfetch * allow", "bash rm * deny"];
  assert.deepEqual(await create("/session"), untrusted);
  assert.deepEqual(await create("/api/session"), untrusted);
  await server.api.expect(200, "PUT", "/v1/trust", { directory, trusted: true });
  const permission = [{ permission: "question", pattern: "*", action: "deny" }];
  assert.deepEqual(await create("/session", { permission }), [
    "bash rm * deny",
    "webfetch * allow",
    "edit * allow",
    "question * deny",
  ]);
});

test("a configuration that cannot be read gives no rule and stops nobody", async (t) => {
  const { create, config, server, home } = await configured(t);
  for (const text of ["{", '{ "permission": 5 }', '{ "permission": { "bash": "maybe" } }', '"permission"', "null"]) {
    await config(join(home, "opencode.json"), text);
    await config(join(server.directory, ".opencode", "opencode.json"), text);
    assert.deepEqual(await create("/session"), [], text);
  }
  await config(join(home, "opencode.json"), '{ "permission": "ask" }');
  assert.deepEqual(await create("/session"), ["* * ask"]);
});
