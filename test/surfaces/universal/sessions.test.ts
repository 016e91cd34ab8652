import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionView } from "../../../src/surfaces/universal/views.ts";
import type { Api } from "../../support/api.ts";
import { lawfulEvents } from "../../support/laws.ts";
import { agent, startServer } from "../../support/server.ts";

interface Page {
  sessions: SessionView[];
  next: string | null;
}

const list = (api: Api, query = ""): Promise<Page> => api.expect(200, "GET", `/v1/sessions${query}`);
const idsOf = ({ sessions }: Page): string[] => sessions.map((session) => session.id);

test("agents are listed with the default one, and each can be asked for", async (t) => {
  const { api } = await startServer(t, { agents: { quiet: agent("never-answers"), gone: { command: ["/no/such"] } } });
  const { agents } = await api.expect<{ agents: { name: string; default: boolean; installed: boolean }[] }>(
    200,
    "GET",
    "/v1/agents",
  );
  assert.deepEqual(
    agents.map(({ name, default: usual, installed }) => [name, usual, installed]),
    [
      ["claude", false, false],
      ["codex", false, false],
      ["opencode", false, false],
      ["house", false, true],
      ["scripted", true, true],
      ["quiet", false, true],
      ["gone", false, false],
    ],
  );
  const scripted = await api.expect<{ modes: { id: string }[] }>(200, "GET", "/v1/agents/scripted");
  assert.deepEqual(
    scripted.modes.map((mode) => mode.id),
    ["build", "plan"],
  );
  const problem = await api.refused("agent_not_found", "GET", "/v1/agents/nobody");
  assert.match(problem.detail, /nobody.*house, scripted, quiet, gone/);
});

test("a session is created with what was asked for, or with the server's defaults", async (t) => {
  const { api, directory } = await startServer(t);
  const plain = await api.expect<SessionView>(201, "POST", "/v1/sessions");
  assert.equal(plain.agent, "scripted");
  assert.equal(plain.directory, directory);
  assert.equal(plain.status, "idle");
  const folder = join(directory, "project");
  await mkdir(folder);
  const facts = { agent: "scripted", directory: folder, model: "scripted", mode: "plan", title: "Tidy up" };
  const full = await api.create(facts);
  assert.deepEqual({ ...full, ...facts }, full);
  assert.deepEqual(await api.session(full.id), full);
  const [started] = await lawfulEvents(api, full.id);
  assert.equal(started?.type, "session.started");
  assert.equal(started?.id, `${full.id}:1`);
});

test("a session that cannot be is refused, and nothing of it is kept", async (t) => {
  const { api } = await startServer(t);
  const rows: [body: object, code: "invalid" | "agent_not_found", says: RegExp][] = [
    [{ agent: "nobody" }, "agent_not_found", /no agent nobody/],
    [{ directory: "relative/path" }, "invalid", /absolute path.*relative\/path/],
    [{ directory: "/no/such/directory" }, "invalid", /existing directory/],
    [{ directory: "/etc/passwd" }, "invalid", /existing directory/],
    [{ model: "gpt-0" }, "invalid", /no model gpt-0; it has: scripted/],
    [{ mode: "biuld" }, "invalid", /no mode biuld; did you mean build\? it has: build, plan/],
    [{ title: "x".repeat(501) }, "invalid", /title/],
    [{ titel: "a typo" }, "invalid", /titel/],
    [{ title: 5 }, "invalid", /title/],
  ];
  for (const [body, code, says] of rows) {
    assert.match((await api.refused(code, "POST", "/v1/sessions", body)).detail, says, JSON.stringify(body));
  }
  assert.deepEqual(await list(api), { sessions: [], next: null });
});

test("sessions are listed newest first, page by page, by directory, by parent", async (t) => {
  const { api, directory } = await startServer(t);
  const folder = join(directory, "elsewhere");
  await mkdir(folder);
  const made: string[] = [];
  for (let i = 0; i < 7; i++) made.unshift((await api.create(i === 3 ? { directory: folder } : {})).id);
  assert.deepEqual(await list(api).then(idsOf), made);

  const paged: string[] = [];
  let pages = 0;
  for (let query = "?limit=3"; ; pages++) {
    const page = await list(api, query);
    paged.push(...idsOf(page));
    if (page.next === null) break;
    query = `?limit=3&after=${page.next}`;
  }
  assert.deepEqual(paged, made);
  assert.equal(pages, 2);
  assert.deepEqual(await list(api, `?directory=${encodeURIComponent(folder)}`).then(idsOf), [made[3]]);

  const [root = ""] = made;
  await api.ask(root, "[[subagent]]");
  assert.deepEqual(await list(api).then(idsOf), made, "a sub-agent's session is not listed beside its root");
  const children = await list(api, `?parent=${root}`);
  assert.equal(children.sessions.length, 1);
  const [child] = children.sessions;
  assert.equal(child?.parent, root);
  assert.equal(child?.root, root);
  const events = await lawfulEvents(api, child?.id ?? "");
  assert.ok(events.every((event) => event.parent === root && event.root === root));

  for (const query of ["?limit=0", "?limit=201", "?limit=many", "?limit=1.5"]) {
    assert.match((await api.refused("invalid", "GET", `/v1/sessions${query}`)).detail, /limit/, query);
  }
});

test("a session is renamed and given another model or mode, which its next turn has", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const path = `/v1/sessions/${id}`;
  const patched = await api.expect<SessionView>(200, "PATCH", path, { title: "Renamed", mode: "plan" });
  assert.equal(patched.title, "Renamed");
  assert.equal(patched.mode, "plan");
  const outcome = await api.ask(id, "[[read-edit]]");
  assert.match(outcome.text, /In plan mode/);
  assert.equal((await api.session(id)).title, "Renamed", "a prompt does not rename it");

  for (const body of [{}, { title: 1 }, { agent: "house" }, { mode: "wild" }, { title: "x".repeat(501) }, [], null]) {
    await api.refused("invalid", "PATCH", path, body);
  }
  await api.refused("agent_not_found", "PATCH", path, { agent: "other" });
  assert.equal((await api.session(id)).title, "Renamed");
  const updates = (await lawfulEvents(api, id)).filter((event) => event.type === "session.updated");
  assert.equal(updates[0]?.source, "parley");
});

test("a session's rules answer for it, also for a prompt that nobody watches", async (t) => {
  const { api } = await startServer(t);
  const permissions = [{ action: "*", pattern: "*", verdict: "deny" }];
  const { id } = await api.create({ permissions });
  assert.deepEqual((await api.session(id)).permissions, permissions);
  const outcome = await api.ask(id, "[[ask]]");
  assert.equal(outcome.reason, "end_turn");
  const events = await lawfulEvents(api, id);
  const [resolved] = events.filter((event) => event.type === "permission.resolved");
  assert.deepEqual([resolved?.data.outcome, resolved?.data.by], ["reject", "rule"]);
  await api.expect(200, "PATCH", `/v1/sessions/${id}`, { permissions: [] });
  assert.deepEqual((await api.session(id)).permissions, []);
});

test("a deleted session stops its turn, is gone, and the last thing heard of it is that", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const other = await api.create();
  const stream = await api.stream(id);
  const all = await api.stream(null);
  await api.prompt(id, "[[slow 60000]]");
  const queued = await api.prompt(id, "never runs");
  await stream.first("item.delta");
  await api.expect(204, "DELETE", `/v1/sessions/${id}`);
  const last = await stream.event(
    (event) => event.type === "session.ended" && event.data.reason === "deleted",
    "the end of the session",
  );
  assert.equal(stream.count("turn.started"), 1);
  assert.equal(stream.count("turn.ended"), 1);
  await all.event((event) => event.id === last.id, "the same on the stream of all sessions");
  assert.ok(
    stream.events.some((event) => event.type === "prompt.withdrawn" && event.data.prompt === queued.prompt),
    "a prompt that waited is told to be withdrawn",
  );

  await api.refused("session_not_found", "GET", `/v1/sessions/${id}`);
  await api.refused("session_not_found", "DELETE", `/v1/sessions/${id}`);
  await api.refused("session_not_found", "GET", `/v1/sessions/${id}/events`);
  await api.refused("session_not_found", "GET", `/v1/sessions/${id}/stream`);
  assert.deepEqual(await list(api).then(idsOf), [other.id]);
  await stream.close();
  await all.close();
});

test("every route of an unknown session answers 404", async (t) => {
  const { api } = await startServer(t);
  const { id } = await api.create();
  const rows: [method: string, path: string, body?: object][] = [
    ["GET", ""],
    ["PATCH", "", { title: "x" }],
    ["DELETE", ""],
    ["POST", "/prompts", { text: "hello" }],
    ["POST", "/prompts?wait=true", { text: "hello" }],
    ["DELETE", "/prompts/msg_1"],
    ["POST", "/cancel", {}],
    ["GET", "/asks"],
    ["POST", "/asks/per_1", { outcome: "once" }],
    ["GET", "/events"],
    ["GET", "/stream"],
  ];
  const unknown = ["ses_unknown", `${id}x`, "no-id-at-all", "%2e%2e%2f", "%E0%A4%A", "ses_%00"];
  for (const session of unknown) {
    for (const [method, path, body] of rows) {
      await api.refused("session_not_found", method, `/v1/sessions/${session}${path}`, body);
    }
  }
  assert.equal((await api.session(id)).last, 1);
});

test("requests during a deletion are done before it or refused, and the deletion holds", async (t) => {
  const { api } = await startServer(t);
  for (let round = 0; round < 10; round++) {
    const { id } = await api.create();
    if (round % 2 === 0) await api.prompt(id, "[[slow 60000]]");
    const path = `/v1/sessions/${id}`;
    const others = Array.from({ length: 12 }, async (_, at) => {
      if (at % 3 === 0) return (await api.call("POST", `${path}/prompts`, { text: "too late" })).status;
      if (at % 3 === 1) return (await api.call("PATCH", path, { title: `Title ${at}` })).status;
      return (await api.call("POST", `${path}/cancel`)).status;
    });
    const deletions = await Promise.all([api.call("DELETE", path), api.call("DELETE", path)]);
    assert.equal(deletions[0].status, 204);
    assert.ok([204, 404].includes(deletions[1].status));
    for (const status of await Promise.all(others)) assert.ok([200, 202, 404].includes(status), `${status}`);
    await api.refused("session_not_found", "GET", path);
  }
});
