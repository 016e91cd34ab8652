import assert from "node:assert/strict";
import { test } from "node:test";
import type { OpencodeEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import type { Session } from "../../../../src/surfaces/opencode/shapes/session.ts";
import { eventually } from "../../../support/eventually.ts";
import { OpencodeClient } from "../../../support/opencode.ts";
import { startServer, type TestServer } from "../../../support/server.ts";
import { Listener } from "../listener.ts";

const isOf =
  (type: string, session: string) =>
  (event: OpencodeEvent): boolean =>
    event.type === type && event.properties.sessionID === session;

/** A client shows the state that the server answers with. */
async function assertRight(server: TestServer, listener: Listener, session: string): Promise<void> {
  const client = new OpencodeClient(server.parley.url);
  const asked = await client.get<MessageWithParts[]>(`/session/${session}/message`);
  const byId = (a: { info: { id: string } }, b: { info: { id: string } }): number => (a.info.id < b.info.id ? -1 : 1);
  assert.deepEqual(listener.mirror.transcript(session), asked.sort(byId));
  const { status, ...info } = await client.get<Session & { status: { type: string } }>(`/session/${session}`);
  assert.deepEqual(listener.mirror.sessions.get(session), info);
  assert.equal(listener.mirror.status.get(session) ?? "idle", status.type);
  assert.deepEqual([...listener.mirror.asks], []);
  assert.deepEqual(listener.mirror.faults, []);
}

test("a client that was there before the first event gets all events when it comes back", async (t) => {
  const { api } = await startServer(t);
  for (const path of ["/event", "/global/event"]) {
    const listener = new Listener(`${api.url}${path}`);
    await listener.connect();
    await listener.leave();
    listener.lastId = "0-999999";
    const { id } = await api.create();
    await api.ask(id, "hello");
    await listener.connect({ resume: true });
    await listener.idle(id);
    await listener.leave();
  }
});

test("/event: a client that missed too many events for a replay learns which turns are over", async (t) => {
  const server = await startServer(t);
  const { id } = await server.api.create();
  const listener = new Listener(`${server.api.url}/event`);
  await listener.connect();
  const asked = server.api.ask(id, "[[flood 25000]]");
  await listener.until(isOf("message.part.delta", id), "the first words");
  await listener.leave();
  await asked;
  await listener.connect({ resume: true });
  // The streams may be some turns of the event loop behind the answer.
  await listener.until(
    (event) => isOf("session.status", id)(event) && listener.mirror.status.get(id) === "idle",
    "that it is idle",
  );
  await assertRight(server, listener, id);
  await listener.leave();
});

test("/global/event: turns that followed each other while a client without a cursor was away are all told", async (t) => {
  const server = await startServer(t);
  const { api } = server;
  const { id } = await api.create();
  const listener = new Listener(`${api.url}/global/event`);
  await listener.connect();
  await api.prompt(id, "[[reasoning]] [[ask ls]]");
  const asked = await listener.until(isOf("permission.asked", id), "the ask");
  await api.prompt(id, "[[tools 2]]");
  await listener.until(isOf("message.updated", id), "the prompt that waits");
  await listener.leave();
  await api.expect(200, "POST", `/v1/sessions/${id}/asks/${asked.properties.id}`, { outcome: "once" });
  await api.ask(id, "the third");
  await listener.connect();
  await listener.until(isOf("session.status", id), "the snapshot");
  await assertRight(server, listener, id);
  await listener.leave();
});

test("/global/event: after a crash a client learns of the turn that was cut short, though the next one runs already", async (t) => {
  const server = await startServer(t);
  const { id } = await server.api.create();
  const listener = new Listener(`${server.api.url}/global/event`);
  await listener.connect();
  await server.api.prompt(id, "[[reasoning]] [[ask ls]]");
  await listener.until(isOf("permission.asked", id), "the ask");
  await server.api.prompt(id, "after the restart");
  await listener.leave();
  await server.restart();
  await server.api.ask(id, "the last one");
  listener.url = `${server.api.url}/global/event`;
  await listener.connect();
  await listener.until(isOf("session.status", id), "the snapshot");
  await assertRight(server, listener, id);
  await listener.leave();
});

test("/global/event: a prompt that was taken back while a client without a cursor was away is not shown any more", async (t) => {
  const server = await startServer(t);
  const { api } = server;
  const { id } = await api.create();
  const listener = new Listener(`${api.url}/global/event`);
  await listener.connect();
  await api.prompt(id, "[[ask ls]]");
  await listener.until(isOf("permission.asked", id), "the ask");
  const { prompt } = await api.prompt(id, "it waits");
  await listener.until(
    ({ properties }) => (properties.info as { id?: string })?.id === prompt,
    "the prompt that waits",
  );
  await listener.leave();
  await api.cancel(id, { queue: "clear" });
  await listener.connect();
  await listener.until(isOf("session.status", id), "the snapshot");
  await assertRight(server, listener, id);
  await listener.leave();
});

for (const path of ["/event", "/global/event"]) {
  test(`${path}: a prompt that waited since an earlier turn and was withdrawn while a client was away is not shown any more`, async (t) => {
    const server = await startServer(t);
    const { api } = server;
    const { id } = await api.create();
    const listener = new Listener(`${api.url}${path}`);
    await listener.connect();
    await api.prompt(id, "[[ask ls]]");
    const first = await listener.until(isOf("permission.asked", id), "the first turn's ask");
    await api.prompt(id, "[[ask ls]]");
    const { prompt } = await api.prompt(id, "it waits");
    await api.expect(200, "POST", `/v1/sessions/${id}/asks/${first.properties.id}`, { outcome: "once" });
    await listener.until(isOf("permission.asked", id), "the second turn's ask");
    assert.ok(listener.mirror.messages.has(prompt), "the client shows the prompt that waits");
    await listener.leave();
    await api.cancel(id, { queue: "clear" });
    await listener.connect({ resume: true });
    await listener.idle(id);
    await assertRight(server, listener, id);
    await listener.leave();
  });
}

test("/event: a client that comes back hears of the prompts that were queued while it was away", async (t) => {
  const server = await startServer(t);
  const { api } = server;
  const { id } = await api.create();
  const listener = new Listener(`${api.url}/event`);
  await listener.connect();
  await api.prompt(id, "[[ask ls]]");
  await listener.until(isOf("permission.asked", id), "the ask");
  await listener.leave();
  const { prompt } = await api.prompt(id, "it waits");
  await api.expect(200, "PATCH", `/v1/sessions/${id}`, { title: "after the prompt" });
  await listener.connect({ resume: true });
  await listener.until(isOf("session.updated", id), "the new title");
  assert.ok(listener.mirror.messages.has(prompt), "the client shows the prompt that waits");
  await api.cancel(id, { queue: "clear" });
  await listener.idle(id);
  await assertRight(server, listener, id);
  await listener.leave();
});

for (const path of ["/event", "/global/event"]) {
  test(`${path}: connected clients and those that come back hear of a deleted session`, async (t) => {
    const server = await startServer(t);
    const client = new OpencodeClient(server.parley.url);
    const create = (): Promise<Session> => client.expect(200, "POST", "/session", { body: {} });
    const old = await create();
    const listener = new Listener(`${server.parley.url}${path}`);
    const away = new Listener(`${server.parley.url}${path}`);
    await listener.connect();
    await away.connect();
    // So many that the first is no longer at hand.
    for (let count = 0; count < 40; count++) await create();
    const { id } = await create();
    await away.until(isOf("session.created", id), "the last one");
    await away.leave();
    for (const gone of [old.id, id]) {
      await client.expect(200, "DELETE", `/session/${gone}`);
      const heard = await listener.until(isOf("session.deleted", gone), `${gone} to be deleted`);
      assert.equal((heard.properties.info as Session).directory, server.directory);
    }
    await away.connect({ resume: true });
    for (const gone of [old.id, id]) await away.until(isOf("session.deleted", gone), `${gone} to be deleted`);
    await away.leave();
    await listener.leave();
  });
}

test("/global/event: a deleted session does not come back with a snapshot", async (t) => {
  const { api } = await startServer(t);
  const listener = new Listener(`${api.url}/global/event`);
  await listener.connect();
  const { id } = await api.create();
  await api.ask(id, "hello");
  await listener.idle(id);
  await listener.leave();
  await api.expect(204, "DELETE", `/v1/sessions/${id}`);
  const { id: other } = await api.create();
  await listener.connect();
  await listener.until(isOf("session.status", other), "the snapshot");
  assert.deepEqual([...listener.mirror.sessions.keys()], [other]);
  await listener.leave();
});

test("a prompt with noReply and an idle agent's end leave a client with the server's state", async (t) => {
  const server = await startServer(t);
  const client = new OpencodeClient(server.parley.url);
  const listener = new Listener(`${server.parley.url}/event`);
  await listener.connect();
  const { id } = await client.expect<Session>(200, "POST", "/session", { body: {} });
  await client.expect(204, "POST", `/session/${id}/prompt_async`, {
    body: { parts: [{ type: "text", text: "[[die 3]]" }] },
  });
  await listener.idle(id);
  await eventually("the agent to be gone", async () => {
    const { events } = await server.api.page(id);
    return events.some(({ type }) => type === "session.ended");
  });
  await assertRight(server, listener, id);
  const kept = { noReply: true, parts: [{ type: "text", text: "keep this in mind" }] };
  const { info } = await client.expect<MessageWithParts>(200, "POST", `/session/${id}/message`, { body: kept });
  await listener.until((event) => event.type === "session.updated", "the session");
  await assertRight(server, listener, id);
  await client.expect(200, "DELETE", `/session/${id}/message/${info.id}`);
  await listener.until(isOf("message.removed", id), "the message to go");
  await listener.until(isOf("session.updated", id), "the session");
  await assertRight(server, listener, id);
  await listener.leave();
});
