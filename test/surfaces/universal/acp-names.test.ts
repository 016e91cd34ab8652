import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { AgentInfo } from "../../../src/client/index.ts";
import type { ParleyOptions } from "../../../src/server/parley.ts";
import { startServer, type TestServer, temporary } from "../../support/server.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));
const NAME = `acp:${process.execPath} ${PROGRAM}`;

/** A directory that comes first in the search path of the test's server. */
async function searchPath(t: TestContext): Promise<string> {
  const bin = await temporary(t);
  const before = process.env.PATH;
  process.env.PATH = `${bin}:${before}`;
  t.after(async () => {
    process.env.PATH = before;
  });
  return bin;
}

function put(bin: string, name: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 });
}

type Told = AgentInfo & { title?: string };
const agentsOf = async ({ api }: TestServer): Promise<Told[]> =>
  (await api.expect<{ agents: Told[] }>(200, "GET", "/v1/agents")).agents;
const namesOf = async (server: TestServer): Promise<string[]> => (await agentsOf(server)).map(({ name }) => name);

test("a session of a command line works, is listed, and goes on after a restart", async (t) => {
  const server = await startServer(t);
  assert.ok(!(await namesOf(server)).includes(NAME));
  const session = await server.api.create({ agent: `acp:'${process.execPath}'   "${PROGRAM}"` });
  assert.equal(session.agent, NAME);
  assert.equal((await server.api.ask(session.id, "say hello")).reason, "end_turn");
  assert.ok((await namesOf(server)).includes(NAME));
  await server.restart();
  assert.ok((await namesOf(server)).includes(NAME), "a session has it");
  assert.equal((await server.api.ask(session.id, "say hello again")).reason, "end_turn");
  const one = await server.api.expect<AgentInfo>(200, "GET", `/v1/agents/${encodeURIComponent(NAME)}`);
  assert.deepEqual([one.name, one.installed], [NAME, true]);
});

test("a known agent is listed where it is installed, and looked at where it is not", async (t) => {
  const bin = await searchPath(t);
  put(bin, "qwen");
  const server = await startServer(t, { knownAgents: true });
  const listed = await agentsOf(server);
  const qwen = listed.find(({ name }) => name === "qwen");
  assert.deepEqual([qwen?.installed, qwen?.detail], [true, join(bin, "qwen")]);
  assert.ok(listed.every(({ name }) => name !== "stakpak"));
  const absent = await server.api.expect<AgentInfo>(200, "GET", "/v1/agents/stakpak");
  assert.equal(absent.installed, false);
  assert.match(absent.detail ?? "", /stakpak was not found: install Stakpak/);
  const session = await server.api.create({ agent: "qwen-code" });
  assert.equal(session.agent, "qwen");
  assert.equal((await server.api.ask(session.id, "say hello")).reason, "end_turn");
});

test("an agent that cannot be had is refused before anything is promised", async (t) => {
  const { api } = await startServer(t, { knownAgents: true });
  const rows: [agent: string, says: RegExp][] = [
    ["stakpak", /agent stakpak is not installed/],
    ["stakpack", /did you mean stakpak\?/],
    ["acp:", /got no program/],
    ["acp:'x", /is not closed/],
    ["acp:no-such-program-anywhere --acp", /no-such-program-anywhere was not found in the search path/],
    ["acp:./evil", /another program in each directory/],
    ["acp:sh -c 'a' | b", /there is no shell/],
  ];
  const { id } = await api.create();
  for (const [agent, says] of rows) {
    assert.match((await api.refused("agent_not_found", "POST", "/v1/sessions", { agent })).detail, says);
    assert.match((await api.refused("agent_not_found", "PATCH", `/v1/sessions/${id}`, { agent })).detail, says);
  }
});

test("the configuration adds ACP agents and replaces known ones, and the default may be a command line", async (t) => {
  const acp = [process.execPath, PROGRAM] as const;
  const options: Partial<ParleyOptions> = {
    agents: { mine: { acp, title: "Mine" }, gemini: { acp } },
    defaultAgent: NAME,
  };
  const server = await startServer(t, options);
  const listed = await agentsOf(server);
  assert.equal(listed.find(({ name }) => name === "mine")?.title, "Mine");
  assert.equal(listed.find(({ name }) => name === "gemini")?.title, "Gemini CLI", "what is known of it stays");
  assert.equal(listed.find(({ name }) => name === NAME)?.default, true);
  for (const agent of ["mine", "gemini-cli", undefined]) {
    const session = await server.api.create(agent === undefined ? {} : { agent });
    assert.equal((await server.api.ask(session.id, "say hello")).reason, "end_turn", session.agent);
  }
});

test("a server does not start with a default agent that is no agent", async (t) => {
  await assert.rejects(startServer(t, { defaultAgent: "acp:'x" }), /is not closed/);
  await assert.rejects(startServer(t, { defaultAgent: "gemni" }), /did you mean gemini/);
});

test("a program inside of a directory that is not trusted is not run there, though the search path leads to it", async (t) => {
  const project = await searchPath(t);
  put(project, "qwen");
  const link = await searchPath(t);
  symlinkSync(join(project, "qwen"), join(link, "kiro-cli"));
  const server = await startServer(t, { knownAgents: true });
  for (const agent of ["qwen", "kiro"]) {
    const { id } = await server.api.create({ agent, directory: project });
    const { reason, error } = await server.api.ask(id, "say hello");
    assert.equal(reason, "error", agent);
    assert.match(error?.message ?? "", /not trusted.*qwen/s);
  }
  const elsewhere = await server.api.create({ agent: "qwen", directory: await temporary(t) });
  assert.equal((await server.api.ask(elsewhere.id, "say hello")).reason, "end_turn");
});
