import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentLayer } from "../../../src/cli/config/layers.ts";
import { defaultSettings, type Layer, mergeSettings } from "../../../src/cli/config/settings.ts";
import { CliError } from "../../../src/cli/exit.ts";

const defaults = defaultSettings("/data");

test("each key comes from the strongest layer that has it", () => {
  const [flags, env, project, user]: Layer[] = [
    { port: 1 },
    { port: 2, host: "env" },
    { port: 3, host: "project", defaultAgent: "project" },
    { port: 4, host: "user", defaultAgent: "user", logLevel: "debug" },
  ];
  const merged = mergeSettings(defaults, [flags ?? {}, env ?? {}, project ?? {}, user ?? {}]);
  assert.deepEqual(merged, { ...defaults, port: 1, host: "env", defaultAgent: "project", logLevel: "debug" });
});

test("undefined says nothing, and an empty list says something", () => {
  const merged = mergeSettings(defaults, [
    { host: undefined, cors: [] },
    { host: "user", cors: ["https://a.example"] },
  ]);
  assert.equal(merged.host, "user");
  assert.deepEqual(merged.cors, []);
});

test("agents are joined by name, and a name from the stronger layer is whole", () => {
  const merged = mergeSettings(defaults, [
    { agents: { a: { command: ["project-a"] } } },
    { agents: { a: { command: ["user-a"], steer: true }, b: { command: ["user-b"] } } },
  ]);
  assert.deepEqual(merged.agents, { a: { command: ["project-a"] }, b: { command: ["user-b"] } });
});

test("a token of a stronger layer beats the token file of a weaker one, and the other way round", () => {
  const file = { credential: { file: "/f" } };
  const token = { credential: { token: "t" } };
  assert.deepEqual(mergeSettings(defaults, [token, file]).credential, { token: "t" });
  assert.deepEqual(mergeSettings(defaults, [file, token]).credential, { file: "/f" });
});

const environments: [variable: string, value: string, layer: Layer][] = [
  ["PARLEY_HOST", "::1", { host: "::1" }],
  ["PARLEY_PORT", "0", { port: 0 }],
  ["PARLEY_DATA_DIR", "/d", { dataDir: "/d" }],
  ["PARLEY_TOKEN", "secret", { credential: { token: "secret" } }],
  ["PARLEY_TOKEN_FILE", "/t", { credential: { file: "/t" } }],
  ["PARLEY_AGENT", "codex", { defaultAgent: "codex" }],
  ["PARLEY_ROOTS", "/a, ~/b", { roots: ["/a", "~/b"] }],
  ["PARLEY_UNATTENDED", "deny", { unattended: "deny" }],
  ["PARLEY_ASK_DEADLINE", "5m", { askDeadlineMs: 300_000 }],
  ["PARLEY_IDLE_CLOSE", "1s", { idleCloseMs: 1_000 }],
  ["PARLEY_OPENCODE_URL", "http://me:secret@127.0.0.1:4096", { opencodeUrl: "http://me:secret@127.0.0.1:4096" }],
  ["PARLEY_OPENCODE_PORTS", "5000-5010", { opencodePorts: { first: 5_000, last: 5_010 } }],
  ["PARLEY_OPENCODE_PORTS", "5000", { opencodePorts: { first: 5_000, last: 5_000 } }],
  ["PARLEY_OPENCODE_IDLE", "0s", { opencodeIdleMs: 0 }],
  ["PARLEY_IDLE_AGENTS", "3", { idleAgents: 3 }],
  ["PARLEY_RETAIN_EVENTS", "100", { retainEvents: 100 }],
  ["PARLEY_SYNC", "disk", { sync: "disk" }],
  ["PARLEY_ALLOW_HOSTS", "a.example, b.example", { allowHosts: ["a.example", "b.example"] }],
  ["PARLEY_CORS", "https://a.example", { cors: ["https://a.example"] }],
  ["PARLEY_KEEP_NATIVE", "no", { keepNative: false }],
  ["PARLEY_LOG_LEVEL", "warn", { logLevel: "warn" }],
  ["PARLEY_PORT", "", {}],
];

for (const [variable, value, layer] of environments) {
  test(`${variable}=${value}`, () => assert.deepEqual(environmentLayer({ [variable]: value }), layer));
}

const wrong: [variable: string, value: string, expected: RegExp][] = [
  ["PARLEY_PORT", "65536", /PARLEY_PORT: expected a port from 0 to 65535, got "65536"/],
  ["PARLEY_PORT", "1e3", /PARLEY_PORT/],
  ["PARLEY_ASK_DEADLINE", "30", /PARLEY_ASK_DEADLINE: expected a duration/],
  ["PARLEY_UNATTENDED", "maybe", /PARLEY_UNATTENDED: expected one of wait, deny, allow, got "maybe"/],
  ["PARLEY_OPENCODE_PORTS", "4300-4200", /PARLEY_OPENCODE_PORTS: expected ports from 1 to 65535/],
  ["PARLEY_OPENCODE_PORTS", "0-10", /PARLEY_OPENCODE_PORTS/],
  ["PARLEY_OPENCODE_PORTS", "1-65536", /PARLEY_OPENCODE_PORTS/],
  ["PARLEY_OPENCODE_URL", "127.0.0.1:4096", /PARLEY_OPENCODE_URL: expected an address such as/],
  ["PARLEY_KEEP_NATIVE", "perhaps", /PARLEY_KEEP_NATIVE: expected true or false/],
];

for (const [variable, value, expected] of wrong) {
  test(`${variable}=${value} is refused`, () => {
    assert.throws(
      () => environmentLayer({ [variable]: value }),
      (error) => error instanceof CliError && error.exitCode === 2 && expected.test(error.message),
    );
  });
}

test("a token in the environment beats the file of one", () => {
  const layer = environmentLayer({ PARLEY_TOKEN: "t", PARLEY_TOKEN_FILE: "/f" });
  assert.deepEqual(layer.credential, { token: "t" });
});
