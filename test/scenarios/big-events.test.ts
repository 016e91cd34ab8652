import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { assertNoGap } from "../support/laws.ts";
import { agent, startServer } from "../support/server.ts";
import { Listener } from "../surfaces/opencode/listener.ts";

// Beyond 8 MiB of backlog a client is cut, so that what is bigger than that in one piece needs care.

test("a page of old events that is bigger than a client's backlog is streamed all the same", async (t) => {
  const { api } = await startServer(t, { keepNative: false, agents: { big: agent("agents/big-items", 200, 100_000) } });
  const { id } = await api.create({ agent: "big" });
  assert.equal((await api.ask(id, "go")).reason, "end_turn");
  const { last } = await api.session(id);
  const stream = await api.stream(id);
  await stream.event((event) => event.seq === last, "the newest event");
  assertNoGap(stream.events);
  assert.equal(stream.events.filter((event) => JSON.stringify(event).length > 100_000).length, 200);
  await stream.close();
});

for (const megabytes of [1, 16]) {
  test(`a line of ${megabytes} MB comes through, cut if it is too long, from the agent to a stream that is open and to one that resumes`, async (t) => {
    const { api } = await startServer(t, { keepNative: false, agents: { huge: agent("huge-line", megabytes) } });
    const { id } = await api.create({ agent: "huge" });
    const live = await api.stream(id);
    const outcome = await api.ask(id, "go");
    assert.equal(outcome.reason, "end_turn");
    assert.ok(outcome.text.length > Math.min(megabytes * 1_000_000 - 200, 1024 * 1024));
    if (megabytes === 1) assert.ok(outcome.text.endsWith("x after"));
    else assert.match(outcome.text, /x\n\(… 149\d{5} bytes left out …\) after$/);
    await live.first("turn.ended");
    assertNoGap(live.events);
    const resumed = await api.stream(id);
    await resumed.first("turn.ended");
    assertNoGap(resumed.events);
    const texts = resumed.events.flatMap((event) =>
      event.type === "item.completed" && event.data.item.kind === "message" ? [event.data.item.text ?? ""] : [],
    );
    assert.ok(texts.includes(outcome.text));
    await live.close();
    await resumed.close();
  });
}

test("a client of OpenCode that reads a long state of things slowly is not cut for the live events behind it", async (t) => {
  const { api } = await startServer(t, { keepNative: false, agents: { big: agent("agents/big-items", 200, 100_000) } });
  const { id: long } = await api.create({ agent: "big" });
  assert.equal((await api.ask(long, "go")).reason, "end_turn");
  // The streams hear of it only from the first client on.
  const first = await api.create();
  const request = get(`${api.url}/global/event`, { agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.pause();
  assert.equal((await api.ask(first.id, "[[flood 3000]]")).reason, "end_turn");
  let bytes = 0;
  let tail = "";
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    tail = (tail + String(chunk)).slice(-200_000);
    if (tail.includes(`"type":"session.idle","properties":{"sessionID":"${first.id}"`)) break;
  }
  assert.ok(bytes > 16 * 1024 * 1024, `the state of things had ${bytes} bytes`);
  request.destroy();
});

test("a client of OpenCode that comes back over many heavy events, and reads slowly, gets each once", async (t) => {
  const { api } = await startServer(t, {
    keepNative: false,
    agents: { big: agent("agents/big-items", 30, 1_000_000) },
  });
  const { id } = await api.create({ agent: "big" });
  const listener = new Listener(`${api.url}/global/event`);
  await listener.connect();
  const first = await api.create();
  await listener.until(({ type }) => type === "session.created", "the first session");
  await listener.leave();
  assert.equal((await api.ask(id, "go")).reason, "end_turn");
  const headers = { "last-event-id": listener.lastId };
  const request = get(`${api.url}/global/event`, { agent: false, headers });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.pause();
  // Some time for the server, in which it could write more than may wait.
  for (let turn = 0; turn < 5; turn++) await api.ask(first.id, "hello");
  const ids: string[] = [];
  let rest = "";
  for await (const chunk of response) {
    rest += String(chunk);
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("id: ")) ids.push(line);
    if (lines.some((line) => line.includes(`"type":"session.idle","properties":{"sessionID":"${id}"`))) break;
  }
  assert.ok(ids.length > 30);
  assert.deepEqual([...new Set(ids)], ids);
  request.destroy();
});
