import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { LINE_PROTOCOL_ABILITIES, sampleAgent } from "../../../src/agents/line-protocol/launch.ts";
import { createClient } from "../../../src/client/index.ts";
import { assertLaws, lawfulEvents } from "../../support/laws.ts";
import { startServer, type TestServer, temporary } from "../../support/server.ts";

interface Able extends TestServer {
  /** Where sessions work, and the agent's own memory of them. */
  work: string;
  memory: string;
}

/** A server whose agent `able` does all that the line protocol has. */
async function able(t: TestContext): Promise<Able> {
  const [work, memory] = [await temporary(t), await temporary(t)];
  const { argv, options, modes } = sampleAgent();
  const command: [string, ...string[]] = [...argv, "--memory", memory];
  const agents = { able: { command, options, modes, can: LINE_PROTOCOL_ABILITIES } };
  const trust = { file: join(await temporary(t), "trusted"), configured: [] };
  const server = await startServer(t, { agents, defaultAgent: "able", trust });
  return Object.assign(server, { work, memory });
}

test("an agent is discovered for a directory, and a project adds to it only where it is trusted", async (t) => {
  const { api, work } = await able(t);
  const project = { modes: [{ id: "build" }, { id: "review" }], commands: [{ name: "ship" }] };
  await writeFile(join(work, ".sample-agent.json"), JSON.stringify(project));
  interface Found {
    modes: { id: string }[];
    commands?: object[];
  }
  const found = (query: string): Promise<Found> => api.expect(200, "GET", `/v1/agents/able${query}`);
  const here = `?directory=${encodeURIComponent(work)}`;
  const modesOf = ({ modes }: Found): string[] => modes.map(({ id }) => id);
  assert.deepEqual(modesOf(await found(here)), ["build", "plan"]);
  await api.refused("invalid", "POST", "/v1/sessions", { directory: work, mode: "review" });
  await api.expect(200, "PUT", "/v1/trust", { directory: work, trusted: true });
  const trusted = await found(here);
  assert.deepEqual([modesOf(trusted), trusted.commands], [["build", "review"], [{ name: "ship" }]]);
  assert.deepEqual(modesOf(await found("")), ["build", "plan"], "elsewhere it is as it was");
  assert.deepEqual(await found(`${here}&kept=true`), trusted);
  await api.refused("invalid", "GET", `/v1/agents/able${here}&kept=maybe`);
  assert.equal((await api.create({ directory: work, mode: "review" })).mode, "review");
  const client = createClient({ url: api.url });
  assert.deepEqual((await client.agent("able", work)).commands, [{ name: "ship" }]);
  await api.refused("invalid", "GET", "/v1/agents/able?directory=relative");
  await api.refused("agent_not_found", "GET", `/v1/agents/nobody${here}`);
});

test("MCP servers reach the agent, also after a restart, and their secrets are nowhere else", async (t) => {
  const server = await able(t);
  const { api, work, dataDirectory } = server;
  const SECRET = "s3cret-of-14-ch";
  const mcpServers = [
    { name: "tools", type: "stdio", command: "/bin/tools", args: [SECRET], env: { TOKEN: SECRET } },
    { name: "web", type: "http", url: "http://127.0.0.1:9/mcp", headers: { authorization: SECRET } },
  ];
  const made = await api.create({ directory: work, mcpServers });
  assert.deepEqual(made.mcpServers, [
    { name: "tools", type: "stdio" },
    { name: "web", type: "http" },
  ]);
  const told = /tools by stdio at \/bin\/tools with TOKEN of 15; web by http at http:\S+ with authorization of 15/;
  assert.match((await api.ask(made.id, "[[mcp]]")).text, told);
  await server.restart();
  assert.match((await server.api.ask(made.id, "[[mcp]] again")).text, told);
  const events = await server.api.expect(200, "GET", `/v1/sessions/${made.id}/events?native=true&limit=2000`);
  const shown = JSON.stringify([await server.api.session(made.id), events]);
  assert.doesNotMatch(shown, new RegExp(SECRET));
  assert.doesNotMatch(JSON.stringify(server.lines), new RegExp(SECRET));
  const folder = join(dataDirectory, "mcp");
  assert.deepEqual([(await stat(folder)).mode & 0o777, await readdir(folder)], [0o700, [`${made.id}.json`]]);
  assert.equal((await stat(join(folder, `${made.id}.json`))).mode & 0o777, 0o600);
  for (const name of await readdir(dataDirectory)) {
    if (/^parley\.db/.test(name))
      assert.doesNotMatch(await readFile(join(dataDirectory, name), "latin1"), new RegExp(SECRET));
  }
  const fork = await server.api.expect<{ id: string }>(201, "POST", `/v1/sessions/${made.id}/fork`);
  assert.match((await server.api.ask(fork.id, "[[mcp]]")).text, told);
  await server.api.expect(204, "DELETE", `/v1/sessions/${made.id}`);
  await server.api.expect(204, "DELETE", `/v1/sessions/${fork.id}`);
  assert.deepEqual(await readdir(folder), []);
});

test("a session whose agent cannot take its MCP servers is refused, and one whose servers are gone fails with words", async (t) => {
  const { api, work, dataDirectory } = await able(t);
  const mcpServers = [{ name: "tools", type: "stdio", command: "/bin/tools" }];
  const { detail } = await api.refused("unsupported", "POST", "/v1/sessions", { agent: "scripted", mcpServers });
  assert.match(detail, /agent scripted takes no MCP server of type stdio; it takes none/);
  for (const odd of [
    { ...mcpServers[0], url: "x" },
    { name: "a b", type: "stdio", command: "c" },
    { name: "a", type: "ws" },
  ])
    await api.refused("invalid", "POST", "/v1/sessions", { mcpServers: [odd] });
  await api.refused("invalid", "POST", "/v1/sessions", { mcpServers: [mcpServers[0], mcpServers[0]] });
  const { id } = await api.create({ directory: work, mcpServers });
  await api.refused("unsupported", "PATCH", `/v1/sessions/${id}`, { agent: "scripted" });
  await rm(join(dataDirectory, "mcp"), { recursive: true });
  const { reason, error } = await api.ask(id, "[[mcp]]");
  assert.equal(reason, "error");
  assert.match(error?.message ?? "", /the MCP servers of this session \(tools\) are gone: make a new session/);
  await lawfulEvents(api, id);
});

test("servers that a crash left without a session are forgotten at the next start", async (t) => {
  const server = await able(t);
  const folder = join(server.dataDirectory, "mcp");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ses_never.json"), "[]");
  await server.restart();
  assert.deepEqual(await readdir(folder), []);
});

test("an agent's own session is listed, taken over with its past, and goes on", async (t) => {
  const server = await able(t);
  const { api, work, memory } = server;
  const first = await api.create({ directory: work });
  await api.ask(first.id, "one");
  await api.ask(first.id, "two");
  await api.expect(204, "DELETE", `/v1/sessions/${first.id}`);
  const client = createClient({ url: api.url });
  const [kept, ...more] = await client.agentSessions("able", work);
  assert.deepEqual([kept?.title, more], ["one", []]);
  assert.deepEqual(await client.agentSessions("able", memory), []);
  const taken = await api.create({ directory: work, resume: kept?.id });
  assert.deepEqual([taken.turns, taken.title, taken.nativeId, taken.status], [2, "one", kept?.id, "idle"]);
  const past = await api.events(taken.id);
  const begun = past.flatMap((event) => (event.type === "turn.started" ? [event.data.replayed] : []));
  assert.deepEqual(begun, [true, true]);
  const said = past.flatMap((event) =>
    event.type === "item.completed" && event.data.item.kind === "message" ? [event.data.item.text] : [],
  );
  assert.deepEqual(said, ["one", "I was told: one", "two", "I was told: two"]);
  assertLaws(taken.id, past, { final: true });
  await api.ask(taken.id, "three");
  await server.restart();
  await server.api.ask(taken.id, "four");
  const { turns, nativeId } = await server.api.session(taken.id);
  assert.deepEqual([turns, nativeId], [4, kept?.id], "the log has the past already: a replay adds nothing to it");
  assert.match(await readFile(join(memory, `${kept?.id}.json`), "utf8"), /one.*two.*three.*four/);
  await lawfulEvents(server.api, taken.id);
});

test("an agent's own session is taken over once, until the session that has it is deleted", async (t) => {
  const { api, work } = await able(t);
  const first = await api.create({ directory: work });
  await api.ask(first.id, "one");
  const { nativeId: resume } = await api.session(first.id);
  const problem = await api.refused("already_imported", "POST", "/v1/sessions", { directory: work, resume });
  assert.match(problem.detail, new RegExp(`session ${resume} of agent able is session ${first.id} here`));
  assert.equal(problem.session, first.id);
  await api.expect(204, "DELETE", `/v1/sessions/${first.id}`);
  const both = await Promise.all([1, 2].map(() => api.call("POST", "/v1/sessions", { directory: work, resume })));
  assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409], "of two at once one is taken");
  await api.refused("already_imported", "POST", "/v1/sessions", { directory: work, resume });
  const { sessions } = await api.expect<{ sessions: object[] }>(200, "GET", "/v1/sessions");
  assert.equal(sessions.length, 1);
});

test("an unknown session of the agent is not taken over, and nothing is left of the attempt", async (t) => {
  const { api, work } = await able(t);
  const { detail } = await api.refused("not_found", "POST", "/v1/sessions", { directory: work, resume: "none-such" });
  assert.match(detail, /agent able does not know its session none-such; GET \/v1\/agents\/able\/sessions/);
  const { sessions } = await api.expect<{ sessions: object[] }>(200, "GET", "/v1/sessions");
  assert.deepEqual(sessions, []);
  await api.refused("unsupported", "GET", "/v1/agents/scripted/sessions");
  await api.refused("agent_not_found", "GET", "/v1/agents/nobody/sessions");
});

test("an agent copies its own session for a fork, and both go their own ways", async (t) => {
  const { api, work, memory } = await able(t);
  const source = await api.create({ directory: work });
  const empty = await api.expect<{ turns: number }>(201, "POST", `/v1/sessions/${source.id}/fork`);
  assert.equal(empty.turns, 0);
  await api.ask(source.id, { id: "msg_one", text: "one" });
  const fork = await api.expect<{ id: string; turns: number; nativeId: string }>(
    201,
    "POST",
    `/v1/sessions/${source.id}/fork`,
  );
  const { nativeId } = await api.session(source.id);
  assert.equal(fork.turns, 1);
  assert.notEqual(fork.nativeId, nativeId);
  await api.ask(fork.id, "in the fork");
  await api.ask(source.id, "in the source");
  assert.match(await readFile(join(memory, `${fork.nativeId}.json`), "utf8"), /"one","in the fork"/);
  assert.match(await readFile(join(memory, `${nativeId}.json`), "utf8"), /"one","in the source"/);
  assert.equal((await api.session(fork.id)).turns, 2);
  await api.refused("unsupported", "POST", `/v1/sessions/${source.id}/fork`, { before: "msg_one" });
  const running = await api.prompt(source.id, "[[slow 60000]]");
  await api.refused("busy", "POST", `/v1/sessions/${source.id}/fork`);
  await api.cancel(source.id, { turn: running.turn });
  await rm(join(memory, `${nativeId}.json`));
  const { detail } = await api.refused("unavailable", "POST", `/v1/sessions/${source.id}/fork`);
  assert.match(detail, /could not copy its session/);
  for (const id of [source.id, fork.id]) await lawfulEvents(api, id);
});

test("an agent drops turns of its own memory when a revert becomes final, also those of a fork", async (t) => {
  const server = await able(t);
  const { api, work, memory } = server;
  const { capabilities } = await api.expect<{ capabilities: { rewind: boolean } }>(200, "GET", "/v1/agents/able");
  assert.equal(capabilities.rewind, true);
  const kept = async (native: string | undefined): Promise<string[]> =>
    (JSON.parse(await readFile(join(memory, `${native}.json`), "utf8")) as { prompts: string[] }).prompts;
  const revert = (id: string, messageID: string): Promise<unknown> =>
    api.expect(200, "POST", `/session/${id}/revert`, { messageID });
  const { id } = await api.create({ directory: work });
  for (const word of ["one", "two", "three"]) await api.ask(id, { id: `msg_${word}`, text: word });
  const { nativeId } = await api.session(id);
  await revert(id, "msg_two");
  assert.deepEqual(await kept(nativeId), ["one", "two", "three"]);
  assert.equal((await api.ask(id, { id: "msg_new", text: "new" })).reason, "end_turn");
  assert.deepEqual(await kept(nativeId), ["one", "new"]);
  const fork = await api.expect<{ id: string; nativeId: string }>(201, "POST", `/v1/sessions/${id}/fork`);
  await api.ask(fork.id, "in the fork");
  const prompts = (await api.events(fork.id)).flatMap((event) =>
    event.type === "turn.started" && event.data.prompt ? [event.data.prompt.id] : [],
  );
  await revert(fork.id, prompts[1] ?? "");
  await api.ask(fork.id, "instead");
  assert.deepEqual(await kept(fork.nativeId), ["one", "instead"]);
  assert.deepEqual(await kept(nativeId), ["one", "new"], "the source remembers what it did");
  await revert(id, "msg_new");
  await rm(join(memory, `${nativeId}.json`));
  const failed = await api.ask(id, "go on");
  assert.equal(failed.reason, "error");
  assert.match(failed.error?.message ?? "", /could not drop the turns.*it remembers nothing of this session/);
  for (const one of [id, fork.id]) await lawfulEvents(api, one);
});
