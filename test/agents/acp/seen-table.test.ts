import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Fields, fieldsIn, isFields, jsonIn, textIn } from "../../../src/core/json/fields.ts";
import { Recordings, textOf } from "../replay/recording.ts";
import { REAL, type Real } from "./surroundings.ts";

const PAGE = new URL("../../../docs/acp.md", import.meta.url);

/** The agents by the beginnings of the names of their recordings. */
const RECORDED: Readonly<Record<string, Real>> = {
  "claude-a": "claude-acp",
  "claude-j": "claude-acp",
  "codex-a": "codex-acp",
  "codex-j": "codex-acp",
  "opencode-a": "opencode-acp",
  "opencode-j": "opencode-acp",
  "gemini-a": "gemini",
};

/** What no recording has: a run of the tests shows it. */
const IN_RUNS: Readonly<Partial<Record<Real, readonly string[]>>> = {
  // Thoughts: test/hard/acp-through.
  "claude-acp": ["agent_thought_chunk"],
  "codex-acp": ["agent_thought_chunk"],
  // Sessions, asks, files and cancels: test/real/acp-agents and test/hard/acp-agents-contract.
  gemini: [
    "session/load",
    "session/cancel",
    "session/request_permission",
    "tool_call",
    "tool_call_update",
    "fs/read_text_file",
    "fs/write_text_file",
  ],
};

/** The methods that each agent answered, the requests and notifications that it sent, and the kinds of its updates. */
function seenIn(name: string): Set<string> {
  const seen = new Set<string>();
  const asked = new Map<unknown, string>();
  for (const row of new Recordings("acp").read(name)) {
    const line = jsonIn(textOf(row));
    if (!isFields(line) || (row.dir !== "in" && row.dir !== "out")) continue;
    const method = textIn(line, "method");
    if (row.dir === "in" && method !== undefined && line.id === undefined) seen.add(method);
    if (row.dir === "in" && method !== undefined) asked.set(line.id, method);
    if (row.dir === "out") seen.add(method ?? answerOf(asked.get(line.id) ?? "", line));
    if (method === "session/update")
      seen.add(textIn(fieldsIn(fieldsIn(line, "params"), "update"), "sessionUpdate") ?? "");
  }
  return seen;
}

const answerOf = (method: string, { error }: Fields): string =>
  isFields(error) ? `${method} ${String(error.code)}` : method;

/** The rows of the table: the words in code of the first cell, and a cell for each agent. */
function rows(): { names: string[]; cells: string[] }[] {
  const [, after = ""] = readFileSync(PAGE, "utf8").split("What they answered and told");
  const [table = ""] = after.split("\n\n[");
  const lines = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| |"));
  return lines.map((line) => {
    const [first = "", ...cells] = line.slice(2, -2).split(" | ");
    const names = [...first.matchAll(/`([^`*]+)`/g)].map(([, name = ""]) => name);
    return { names, cells };
  });
}

test("docs/acp.md names what the recordings show, and nothing that neither they nor runs of the tests do", () => {
  const seen = new Map<Real, Set<string>>(REAL.map((name) => [name, new Set(IN_RUNS[name])]));
  for (const [beginning, name] of Object.entries(RECORDED))
    for (const recording of new Recordings("acp").names().filter((one) => one.startsWith(beginning)))
      for (const what of seenIn(recording)) seen.get(name)?.add(what);
  const order: readonly Real[] = ["claude-acp", "codex-acp", "opencode-acp", "gemini"];
  assert.ok(rows().length > 20);
  for (const { names, cells } of rows())
    for (const [at, agent] of order.entries())
      for (const name of names) {
        const cell = cells[at] ?? "";
        const told = [...(seen.get(agent) ?? [])].filter((one) => one === name || one.startsWith(`${name} `));
        const isTold = cell.startsWith("-3") ? told.includes(`${name} ${cell}`) : told.length > 0;
        assert.equal(isTold, cell !== "-", `${agent}: ${name} is "${cell}"`);
      }
});
