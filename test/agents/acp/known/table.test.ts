import assert from "node:assert/strict";
import { test } from "node:test";
import { KNOWN, knownAgent, waysTo } from "../../../../src/agents/acp/known/known.ts";
import { ALL_FILES } from "../../../../src/agents/acp/known/project-files.ts";

const OWN = ["claude", "codex", "opencode", "house", "scripted", "parley"];

test("each known agent has names that no other has, a program, and a way to get it", () => {
  assert.ok(KNOWN.length >= 25, `${KNOWN.length} agents`);
  const names = KNOWN.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.deepEqual(names.length, new Set(names).size, "names are there twice");
  for (const entry of KNOWN) {
    const { name, aliases = [], programs, npm, shares, files = [] } = entry;
    for (const one of [name, ...aliases]) {
      assert.match(one, /^[a-z][a-z0-9-]*$/);
      assert.ok(!OWN.includes(one), `${one} hides an agent of Parley`);
      assert.equal(knownAgent(one), entry);
    }
    for (const program of programs) assert.match(program, /^[\w.-]+$/, "a bare name, never a path");
    assert.ok(
      !programs.some((program) => ["npx", "uvx", "npm", "node"].includes(program)),
      `${name} is not downloaded at its start`,
    );
    if (npm) assert.match(npm.version, /^\d+\.\d+\.\d+[\w.-]*$/, `${name} is pinned`);
    assert.match(waysTo(entry), npm || shares ? /parley install/ : /\w/);
    for (const file of files) assert.ok(!file.startsWith("/") && !file.includes(".."), file);
  }
  assert.equal(knownAgent("nobody"), undefined);
  assert.equal(knownAgent("toString"), undefined);
});

test("an agent of which nothing is known is held against the files of all others", () => {
  for (const file of [".claude/settings.json", ".gemini/settings.json", ".mcp.json", ".cursor/", "opencode.json"])
    assert.ok(ALL_FILES.includes(file), file);
});

test("files that name hooks, servers or allowed tools count for the agents that read them", () => {
  const rows: [agent: string, file: string][] = [
    ["claude-acp", ".claude/agents/"],
    ["claude-acp", ".claude/skills/"],
    ["gemini", ".gemini/agents/"],
    ["gemini", ".gemini/commands/"],
    ["gemini", ".gemini/policies/"],
    ["qwen", ".qwen/agents/"],
    ["copilot", ".github/agents/"],
    ["copilot", ".vscode/mcp.json"],
  ];
  for (const [agent, file] of rows) assert.ok(knownAgent(agent)?.files?.includes(file), `${agent} ${file}`);
});
