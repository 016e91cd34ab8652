import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import type { Credential, Entry, Source } from "../../src/credentials/contract.ts";
import { exportLine, exportsOf, type Shell } from "../../src/credentials/export.ts";
import { Secret } from "../../src/credentials/secret.ts";

const NOW = 1_000_000;

const variable = (name: string): Source => ({ kind: "variable", name });
const file = (name: string): Source => ({ kind: "file", name });

function held(source: Source, value: string, more: Partial<Credential> = {}): Credential {
  return { provider: "anthropic", kind: "api key", secret: new Secret(value), source, readBy: ["claude"], ...more };
}

const login = (more: Partial<Entry>): Partial<Credential> => ({ kind: "oauth", ...more });

const CASES: [name: string, all: Credential[], exported: string[], leftOut: string[]][] = [
  [
    "the first of a provider",
    [held(variable("CLAUDE_API_KEY"), "a"), held(file("/x"), "b"), held(file("/y"), "c", { provider: "groq" })],
    ["ANTHROPIC_API_KEY=a", "GROQ_API_KEY=c"],
    [],
  ],
  [
    "a variable under its own name",
    [held(variable("GEMINI_API_KEY"), "g", { provider: "google" })],
    ["GEMINI_API_KEY=g"],
    [],
  ],
  [
    "a login that Claude Code takes by a variable",
    [held(file("/l"), "t", login({}))],
    ["CLAUDE_CODE_OAUTH_TOKEN=t"],
    [],
  ],
  ["a token of its settings", [held(file("/s"), "t", { kind: "token" })], ["ANTHROPIC_AUTH_TOKEN=t"], []],
  [
    "a login of another program, and the key behind it",
    [
      held(file("/c"), "t", { provider: "openai", kind: "oauth", readBy: ["codex"] }),
      held(file("/o"), "k", { provider: "openai" }),
    ],
    ["OPENAI_API_KEY=k"],
    ["no agent takes it by a variable"],
  ],
  [
    "a login of Anthropic that another program holds",
    [held(file("/o"), "t", { kind: "oauth", readBy: ["opencode"] })],
    [],
    ["no agent takes it by a variable"],
  ],
  ["one that is over", [held(file("/l"), "t", login({ expires: NOW }))], [], ["it has expired"]],
  [
    "one that only its agent can renew",
    [held(file("/l"), "t", login({ expires: NOW, renewable: true }))],
    [],
    ["it has expired, and only its agent can renew it"],
  ],
  ["an unknown provider", [held(file("/o"), "k", { provider: "new" })], [], ["no variable of this provider is known"]],
  ["a key with a line feed", [held(file("/o"), "k\nrm -rf x")], [], ["it holds blanks or characters that no key has"]],
  ["a key with an escape", [held(file("/o"), "k\u001b[2J")], [], ["it holds blanks or characters that no key has"]],
  ["a helper", [held(file("/s"), "", { kind: "helper" })], [], ["its program tells the key to Claude Code only"]],
  [
    "a cloud",
    [held(variable("CLAUDE_CODE_USE_VERTEX"), "1", { kind: "cloud" })],
    [],
    ["it is a switch and holds no secret"],
  ],
];

for (const [name, all, exported, leftOut] of CASES) {
  test(`exports: ${name}`, () => {
    const found = exportsOf(all, NOW);
    assert.deepEqual(
      found.exported.map(({ variable: of, value }) => `${of}=${value}`),
      exported,
    );
    assert.deepEqual(
      found.leftOut.map(({ why }) => why),
      leftOut,
    );
  });
}

test("one provider can be asked for", () => {
  const all = [held(file("/x"), "a"), held(file("/y"), "b", { provider: "groq" })];
  assert.deepEqual(
    exportsOf(all, NOW, "groq").exported.map(({ variable: of }) => of),
    ["GROQ_API_KEY"],
  );
  assert.deepEqual(exportsOf(all, NOW, "none"), { exported: [], leftOut: [] });
});

const READ: Readonly<Record<Shell, readonly [program: string, print: string]>> = {
  sh: ["sh", `printf '%s\\n' "$A_KEY"`],
  fish: ["fish", `printf '%s\\n' "$A_KEY"`],
};

for (const [shell, [program, print]] of Object.entries(READ) as [Shell, readonly [string, string]][]) {
  const missing = spawnSync(program, ["-c", "true"]).error !== undefined;
  test(`${shell} reads each exported value as it is`, { skip: missing && `there is no ${program}` }, () => {
    const printable = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    });
    const values = ["'", "\\", "\\'", "'\\''", "$(id)`id`", "a;b", "!!", '"', ...fc.sample(printable, 100)];
    const line = (value: string): string =>
      exportLine({ provider: "p", variable: "A_KEY", value, source: file("/x") }, shell);
    const script = values.map((value) => `${line(value)}\n${print}\n`).join("");
    const out = execFileSync(program, ["-c", script], { encoding: "utf8" });
    assert.deepEqual(out.split("\n").slice(0, -1), values);
  });
}
