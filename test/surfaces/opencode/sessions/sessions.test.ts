import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { FileDiff, Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { Client, sessionsRig } from "../sessions-rig.ts";

const SCRIPT = {
  "*": [{ text: "You said: {{prompt}}" }],
  slow: [{ text: ["One ", { text: "two", hold: "slow" }] }],
  edit: [
    { tools: [{ name: "write", input: { path: "a.txt", content: "one\ntwo\n" } }] },
    { tools: [{ name: "edit", input: { path: "a.txt", old: "two", new: "2" } }] },
    { text: "Done." },
  ],
  plan: [
    { tools: [{ name: "todo", input: { todos: [{ text: "First", status: "in_progress", priority: "high" }] } }] },
    { text: "Planned." },
  ],
};

const ALLOW = [{ permission: "*", pattern: "*", action: "allow" }];

test("B3: a session is made as the TUI and as `run` make it, got, changed and listed", async (t) => {
  const { client, work } = await sessionsRig(t, SCRIPT);
  const made = await client.create({ agent: "plan", model: { providerID: "house", id: "test/two" } });
  assert.deepEqual(
    [made.directory, made.agent, made.model, made.version, made.parentID],
    [work, "plan", { id: "test/two", providerID: "house" }, "1.18.33", undefined],
  );
  assert.match(made.title, /^New session - \d{4}-/);
  assert.deepEqual(await client.get(`/session/${made.id}`), { ...made, status: { type: "idle" } });

  const permission = ["question", "plan_enter", "plan_exit"].map((name) => ({
    permission: name,
    action: "deny",
    pattern: "*",
  }));
  const run = await client.create({ permission });
  assert.deepEqual(run.permission, permission);
  assert.equal((await client.expect<Session>(200, "POST", "/session")).directory, work, "a body may be left out");

  const path = `/session/${made.id}`;
  const renamed = await client.expect<Session>(200, "PATCH", path, {
    title: "Renamed",
    metadata: { a: 1 },
    permission: ALLOW,
    time: { archived: 5 },
  });
  assert.deepEqual(
    [renamed.title, renamed.metadata, renamed.permission, renamed.time.archived],
    ["Renamed", { a: 1 }, ALLOW, 5],
  );
  const again = await client.expect<Session>(200, "PATCH", path, { permission: permission.slice(0, 1) });
  assert.deepEqual(again.permission, [...ALLOW, ...permission.slice(0, 1)], "rules are added behind");
  assert.deepEqual(again.metadata, { a: 1 });
});

test("a wrong request for a session gets a reason, never a page or a 500", async (t) => {
  const { client } = await sessionsRig(t, SCRIPT);
  for (const id of ["abc", "ses_nope", "ses_", "..%2F..", "%00"]) {
    for (const [method, rest] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["GET", "/children"],
      ["GET", "/todo"],
      ["GET", "/diff"],
      ["GET", "/message"],
      ["GET", "/message/msg_x"],
      ["DELETE", "/message/msg_x"],
      ["POST", "/abort"],
      ["POST", "/share"],
      ["DELETE", "/share"],
    ] as const) {
      const body = method === "PATCH" ? {} : undefined;
      const { status, body: answer } = await client.call<{ name: string }>(method, `/session/${id}${rest}`, body);
      assert.deepEqual([status, answer.name], [404, "NotFoundError"], `${method} /session/${id}${rest}`);
    }
  }
  const refused = async (status: number, method: string, path: string, body: unknown, about: RegExp) => {
    const answer = await client.call<{ name: string; data: { message: string } }>(method, path, body);
    assert.equal(answer.status, status, `${method} ${path} ${JSON.stringify(body)}`);
    assert.match(answer.body.data.message, about);
  };
  await refused(400, "POST", "/session", { model: { providerID: "nobody", id: "x" } }, /no provider nobody.*house/);
  await refused(400, "POST", "/session", { model: { providerID: "house", id: "gpt-9" } }, /no model gpt-9.*test\/one/);
  await refused(400, "POST", "/session", { agent: "wild" }, /no mode wild.*plan/);
  await refused(400, "POST", "/session", { title: 5 }, /title/);
  await refused(
    400,
    "POST",
    "/session",
    { permission: [{ permission: "bash", pattern: "*", action: "never" }] },
    /action/,
  );
  await refused(404, "POST", "/session", { parentID: "ses_nope" }, /Session not found: ses_nope/);
  const { status, body } = await client.call<{ name: string }>("POST", "/session", undefined, "{not json");
  assert.deepEqual([status, body.name], [400, "BadRequest"]);
  const { id } = await client.create();
  await refused(400, "PATCH", `/session/${id}`, { time: { archived: "yes" } }, /archived/);
  await refused(501, "POST", `/session/${id}/share`, undefined, /not shared/);
  await refused(501, "DELETE", `/session/${id}/share`, undefined, /not shared/);
});

test("a list has the sessions of its place, the one that changed last first", async (t) => {
  const { client, work, server, ended } = await sessionsRig(t, SCRIPT);
  const elsewhere = join(work, "elsewhere");
  await mkdir(elsewhere);
  const [one, two] = [await client.create({ title: "First thing" }), await client.create({ title: "Second" })];
  const child = await client.create({ parentID: two.id, title: "Child" });
  const other = await new Client(client.url, elsewhere).create({ title: "Other" });
  await client.prompt(one.id, "hello");
  await ended(one.id);
  const ids = async (query: string): Promise<string[]> =>
    (await client.get<Session[]>(`/session${query}`)).map(({ id }) => id);
  const here = `?directory=${encodeURIComponent(work)}`;
  assert.deepEqual(await ids(here), [one.id, child.id, two.id], "by when they changed, newest first");
  assert.deepEqual(await ids(`${here}&roots=true`), [one.id, two.id]);
  assert.deepEqual(await ids(`${here}&limit=1`), [one.id]);
  assert.deepEqual(await ids(`${here}&search=THING`), [one.id]);
  assert.deepEqual(await ids(`${here}&start=${Date.now() + 60_000}`), []);
  assert.deepEqual(await ids(`?directory=${encodeURIComponent(elsewhere)}`), [other.id]);
  const path = elsewhere.slice(1);
  assert.deepEqual(await ids(`?path=${encodeURIComponent(path)}`), [other.id], "a path of the project");
  assert.deepEqual(new Set(await ids("?path=")), new Set([one.id, two.id, child.id, other.id]), "all of the project");
  assert.equal((await client.call("GET", `/session${here}&limit=many`)).status, 400);

  assert.deepEqual(
    (await client.get<Session[]>(`/session/${two.id}/children`)).map(({ id, parentID }) => [id, parentID]),
    [[child.id, two.id]],
  );
  const far = new Client(client.url, elsewhere);
  assert.equal((await far.get<Session>(`/session/${one.id}`)).id, one.id, "found from any directory");
  assert.equal(await client.expect(200, "DELETE", `/session/${two.id}`), true);
  assert.equal((await client.call("GET", `/session/${child.id}`)).status, 404, "its children go with it");
  await server.restart();
  assert.deepEqual(
    await new Client(server.parley.url, work).get<Session[]>(`/session${here}`).then((all) => all.length),
    1,
  );
});

test("A6: status has only who is busy, an abort ends the turn once, and one of nothing changes nothing", async (t) => {
  const { client, model, server, until } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const idle = await client.create();
  const status = (): Promise<Record<string, unknown>> =>
    client.get(`/session/status?directory=${encodeURIComponent(client.directory)}`);
  assert.deepEqual(await status(), {});
  const answer = client.ask(id, "[[slow]]");
  await model.until(() => model.held.has("slow"));
  assert.deepEqual(await status(), { [id]: { type: "busy" } });
  const { log } = server.parley.gateway;
  const before = await log.head(idle.id);
  assert.equal(await client.expect(200, "POST", `/session/${idle.id}/abort`), true);
  assert.equal((await log.head(idle.id))?.last, before?.last, "nothing is said of a session that does nothing");
  assert.equal(await client.expect(200, "POST", `/session/${id}/abort`), true);
  assert.deepEqual(await status(), {}, "the agent is quiet when the abort is answered");
  const { info, parts } = await answer;
  assert.equal(info.error?.name, "MessageAbortedError");
  assert.deepEqual(
    parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    ["One "],
    "what was said by then is in the answer",
  );
  await until(id, ({ type }) => type === "turn.ended");
  assert.equal((await client.ask(id, "again")).info.finish, "stop");
});

test("a busy session that is deleted stops first, and is gone", async (t) => {
  const { client, model, server } = await sessionsRig(t, SCRIPT);
  const { id } = await client.create();
  const answer = client.ask(id, "[[slow]]");
  await model.until(() => model.held.has("slow"));
  assert.equal(await client.expect(200, "DELETE", `/session/${id}`), true);
  assert.equal((await answer).info.error?.name, "MessageAbortedError", "who waits is told so");
  assert.equal((await client.call("GET", `/session/${id}`)).status, 404);
  assert.deepEqual(await server.parley.gateway.log.unsettled(), []);
  assert.equal((await client.call("DELETE", `/session/${id}`)).status, 404);
});

test("todo and diff tell what the agent plans and what it changed, of a session and of one message", async (t) => {
  const { client, work } = await sessionsRig(t, SCRIPT);
  await writeFile(join(work, "README.md"), "hello\n");
  const { id } = await client.create({ permission: ALLOW });
  assert.deepEqual(await client.get(`/session/${id}/todo`), []);
  assert.deepEqual(await client.get(`/session/${id}/diff`), []);
  await client.ask(id, "[[plan]]", { messageID: "msg_plan" });
  assert.deepEqual(await client.get(`/session/${id}/todo`), [
    { content: "First", status: "in_progress", priority: "high" },
  ]);
  const { info } = await client.ask(id, "[[edit]]", { messageID: "msg_edit" });
  const whole = await client.get<FileDiff[]>(`/session/${id}/diff`);
  assert.deepEqual(
    whole.map(({ file, status, additions, deletions }) => [file, status, additions, deletions]),
    [["a.txt", "added", 3, 1]],
  );
  assert.match(whole[0]?.patch ?? "", /\+one/);
  assert.deepEqual(await client.get(`/session/${id}/diff?messageID=msg_edit`), whole);
  assert.deepEqual(await client.get(`/session/${id}/diff?messageID=${info.id}`), whole, "an answer is of its question");
  assert.deepEqual(await client.get(`/session/${id}/diff?messageID=msg_plan`), []);
  assert.equal((await client.call("GET", `/session/${id}/diff?messageID=msg_nope`)).status, 404);
  await client.ask(id, "[[edit]]");
  assert.equal((await client.get<FileDiff[]>(`/session/${id}/diff`)).length, 1, "a file is there once");
});
