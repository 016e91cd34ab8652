import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../../src/client/index.ts";
import type { Outcome } from "../../../src/core/receipt.ts";
import type { Detail } from "../../support/api.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { agent, startServer, temporary } from "../../support/server.ts";

test("a command of the client's over the universal API, and by the client", async (t) => {
  const { api, directory } = await startServer(t, { defaultAgent: "house" });
  const { id } = await api.create();
  const path = `/v1/sessions/${id}/shell`;
  const outcome = await api.expect<Outcome>(200, "POST", `${path}?wait=true`, { id: "msg_pwd", command: "pwd" });
  assert.equal(outcome.reason, "end_turn");
  const receipt = await api.expect(202, "POST", path, { id: "msg_pwd", command: "pwd" });
  assert.deepEqual(receipt, outcome.receipt);
  assert.match(JSON.stringify(await lawfulEvents(api, id)), new RegExp(directory));
  await api.refused("prompt_conflict", "POST", path, { id: "msg_pwd", command: "ls" });
  await api.refused("invalid", "POST", path, { command: "" });
  await api.refused("session_not_found", "POST", "/v1/sessions/ses_none/shell", { command: "ls" });
  const session = createClient({ url: api.url }).session(id);
  assert.equal((await session.turn(await session.shell("echo by the client")).outcome()).reason, "end_turn");
});

test("a fork over the universal API, and by the client", async (t) => {
  const { api } = await startServer(t, { defaultAgent: "house" });
  const { id } = await api.create();
  await api.ask(id, { id: "msg_1", text: "hello" });
  await api.ask(id, { id: "msg_2", text: "hello again" });
  const fork = await api.expect<Detail>(201, "POST", `/v1/sessions/${id}/fork`, { before: "msg_2" });
  assert.deepEqual([fork.turns, fork.title, fork.status], [1, "hello (fork #1)", "idle"]);
  const events = await lawfulEvents(api, fork.id);
  assert.deepEqual(events[0]?.type === "session.started" && events[0].data.forked, { session: id, before: "msg_2" });
  const session = createClient({ url: api.url }).session(id);
  assert.equal((await session.fork()).turns, 2);
  await api.refused("not_found", "POST", `/v1/sessions/${id}/fork`, { before: "msg_none" });
  await api.refused("session_not_found", "POST", "/v1/sessions/ses_none/fork");
  const other = await api.create({ agent: "scripted" });
  await api.refused("unsupported", "POST", `/v1/sessions/${other.id}/fork`);
  const { capabilities } = await api.expect<{ capabilities: object }>(200, "GET", "/v1/agents/scripted");
  assert.deepEqual(capabilities, { fork: false, rewind: false, compact: false, sessions: false, mcp: [] });
});

test("a compaction over the universal API, and by the client", async (t) => {
  const { api } = await startServer(t, { defaultAgent: "house" });
  const { id } = await api.create();
  await api.ask(id, "hello");
  const outcome = await api.expect<Outcome>(200, "POST", `/v1/sessions/${id}/compact?wait=true`);
  assert.equal(outcome.reason, "end_turn");
  assert.match(outcome.text, /- hello/);
  const session = createClient({ url: api.url }).session(id);
  assert.equal((await session.turn(await session.compact()).outcome()).reason, "end_turn");
  await lawfulEvents(api, id);
  await api.refused("session_not_found", "POST", "/v1/sessions/ses_none/compact");
  const other = await api.create({ agent: "scripted" });
  await api.refused("unsupported", "POST", `/v1/sessions/${other.id}/compact`);
});

test("a start of the agent over the universal API, and by the client", async (t) => {
  const agents = { silent: agent("exits-at-once") };
  const { api } = await startServer(t, { defaultAgent: "house", agents });
  const { id } = await api.create();
  assert.deepEqual(await api.expect(200, "POST", `/v1/sessions/${id}/start`), { ready: true });
  assert.equal(await createClient({ url: api.url }).session(id).start(), true);
  await api.refused("session_not_found", "POST", "/v1/sessions/ses_none/start");
  const other = await api.create({ agent: "silent" });
  const error = await api.refused("unavailable", "POST", `/v1/sessions/${other.id}/start`);
  assert.match(error.detail, /exit/);
  await lawfulEvents(api, other.id);
});

test("no agent is started in a directory that the server does not serve any more", async (t) => {
  const server = await startServer(t);
  const { id } = await server.api.create({ directory: await temporary(t) });
  await server.restart({ roots: [server.directory] });
  await server.api.refused("forbidden", "POST", `/v1/sessions/${id}/start`);
});
