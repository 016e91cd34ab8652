import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { foldedEvents } from "../../../support/laws.ts";
import { assertDescribed } from "../../../support/opencode.ts";
import { startServer, type TestServer } from "../../../support/server.ts";
import { openStream, type SseReader } from "../../../support/sse.ts";
import type { HeardEvent } from "./next-client.ts";

const PROMPT = "[[reasoning]] [[tools 2]]";

const heard = (reader: SseReader): HeardEvent[] => reader.events as unknown as HeardEvent[];

/** Without the deltas, which are not told again once their text is complete. */
const kept = (events: readonly HeardEvent[]): HeardEvent[] => events.filter(({ durable }) => durable !== undefined);

async function idle(reader: SseReader): Promise<void> {
  await reader.when(() => heard(reader).find(({ type }) => type === "session.idle"), "session.idle");
}

async function begun(t: TestContext): Promise<TestServer & { id: string }> {
  const server = await startServer(t);
  return { ...server, id: (await server.api.create()).id };
}

test("every event of every stream is one that the document describes", async (t) => {
  const { api, id } = await begun(t);
  const paths = ["/event", "/global/event", "/api/event", `/api/session/${id}/event`];
  const readers = await Promise.all(paths.map((path) => openStream(`${api.url}${path}`)));
  const [, , all] = readers;
  assert.ok(all);
  await api.ask(id, PROMPT);
  await api.prompt(id, "[[ask ls]]");
  const fits = ({ type }: HeardEvent): boolean => type === "permission.v2.asked";
  const asked = await all.when(() => heard(all).find(fits), "the ask");
  assert.deepEqual(Object.keys((asked.data.source ?? {}) as object).sort(), ["callID", "messageID", "type"]);
  await api.cancel(id);
  await all.when(
    () => (heard(all).filter(({ type }) => type === "session.idle").length === 2 ? true : undefined),
    "the end",
  );
  for (const [index, path] of paths.entries()) {
    const reader = readers[index];
    const operation = `GET ${path.replace(id, "{sessionID}")}`;
    const events = (reader?.events ?? []) as unknown[];
    assert.ok(events.length > 10, `${path} told ${events.length} events`);
    const isSession = operation.includes("{");
    for (const event of events) {
      const described = isSession ? { id: "1", event: "message", data: JSON.stringify(event) } : event;
      const type = (event as HeardEvent).type;
      if (type !== "server.heartbeat") assertDescribed(operation, 200, described, "text/event-stream");
      if (isSession) assertDescribed("GET /api/session/{sessionID}/history", 200, { data: [event], hasMore: false });
    }
    await reader?.close();
  }
});

test("D6 /api/event goes on after the last id that a client has, wherever it was cut", async (t) => {
  const { api, id } = await begun(t);
  const url = `${api.url}/api/event`;
  const whole = await openStream(url);
  await api.ask(id, PROMPT);
  await idle(whole);
  await whole.close();
  const events = heard(whole);
  assert.ok(events.length > 20, `only ${events.length} events were heard`);
  for (let count = 1; count < events.length - 1; count += 3) {
    const again = await openStream(url, { "last-event-id": whole.ids[count] ?? "" });
    await idle(again);
    await again.close();
    assert.deepEqual(kept(heard(again)), kept(events.slice(count + 1)), `cut after ${count} events`);
  }
});

test("D6 a session's own stream goes on after a number, also when its deltas are folded away", async (t) => {
  const { api, id } = await begun(t);
  const url = `${api.url}/api/session/${id}/event`;
  const whole = await openStream(url);
  await api.ask(id, PROMPT);
  const ended = ({ type, data }: HeardEvent): boolean => type.endsWith("step.ended") && data.finish !== "tool-calls";
  const last = (reader: SseReader): Promise<HeardEvent> =>
    reader.when(() => heard(reader).find(ended), "the last step");
  await last(whole);
  const events = heard(whole);
  assert.deepEqual(
    whole.ids,
    events.map(({ durable }) => String(durable?.seq)),
  );
  for (const folded of [false, true]) {
    if (folded) await foldedEvents(api, id);
    for (let count = 0; count < events.length - 1; count += 2) {
      const after = whole.ids[count] ?? "";
      for (const again of [
        await openStream(url, { "last-event-id": after }),
        await openStream(`${url}?after=${after}`),
      ]) {
        await last(again);
        await again.close();
        assert.deepEqual(heard(again), events.slice(count + 1), `cut after ${count} events`);
      }
    }
  }
  await api.expect(204, "DELETE", `/v1/sessions/${id}`);
  assert.equal(await whole.over, "cut", "a deletion ends the stream");
  assert.equal((await fetch(url, { headers: api.headers })).status, 404);
});
