import assert from "node:assert/strict";
import { test } from "node:test";
import type { Credential, CredentialAgent, Entry } from "../../src/credentials/contract.ts";
import { judge } from "../../src/credentials/judge.ts";
import { Secret } from "../../src/credentials/secret.ts";

const NOW = 1_000_000;

function held(name: string, readBy: CredentialAgent[], more: Partial<Entry> = {}): Credential {
  const kind = name.startsWith("/") ? "file" : "variable";
  return { provider: "p", kind: "api key", secret: new Secret("s"), source: { kind, name }, readBy, ...more };
}

const over = { kind: "oauth", expires: NOW - 1 } as const;

const CASES: [name: string, held: Credential[], judged: string[]][] = [
  ["nothing", [], []],
  [
    "the first place of an agent wins",
    [held("A", ["house"]), held("B", ["house"])],
    ["used by house", "shadowed by A"],
  ],
  [
    "each agent has its own first place",
    [held("A", ["house"]), held("/codex", ["codex"]), held("B", ["house", "claude"])],
    ["used by house", "used by codex", "used by claude"],
  ],
  [
    "providers do not shadow each other, but for agents that work with one credential",
    [held("A", ["house", "claude"], { provider: "a" }), held("B", ["house", "claude"]), held("C", ["claude"])],
    ["used by claude,house", "used by house", "shadowed by A"],
  ],
  ["a place where no agent looks", [held("A", [])], ["unread"]],
  [
    "a login that is over does not count",
    [held("/a", ["claude"], over), held("/b", ["claude"])],
    ["expired", "used by claude"],
  ],
  [
    "one that its agent renews counts",
    [held("/a", ["claude"], { ...over, renewable: true }), held("/b", ["claude"])],
    ["used by claude", "shadowed by /a"],
  ],
  ["one that ends later counts", [held("/a", ["claude"], { ...over, expires: NOW + 1 })], ["used by claude"]],
  [
    "a cloud comes before keys of Claude Code",
    [held("A", ["claude"]), held("CLOUD", ["claude"], { kind: "cloud", provider: "cloud" })],
    ["shadowed by CLOUD", "used by claude"],
  ],
  [
    "OpenCode's own store comes before the environment",
    [held("A", ["opencode"]), held("/opencode", ["opencode"])],
    ["shadowed by /opencode", "used by opencode"],
  ],
];

for (const [name, all, judged] of CASES) {
  test(`of credentials: ${name}`, () => {
    const words = judge(all, NOW).map(({ state, usedBy, shadowedBy }) =>
      state === "used" ? `used by ${usedBy}` : state === "shadowed" ? `shadowed by ${shadowedBy?.name}` : state,
    );
    assert.deepEqual(words, judged);
  });
}
