import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openStream, type StreamEars } from "../../bench/harness/listen.ts";
import { laterBy, Passed } from "../../bench/harness/paced.ts";
import { pathIn, readEvent } from "../../bench/opencode/deltas.ts";
import { hearTwice } from "../../bench/opencode-agent/contest.ts";
import { growthIn } from "../../bench/opencode-agent/memory.ts";

function delta(sessionID: string, text: string): string {
  return JSON.stringify({ type: "message.part.delta", properties: { sessionID, delta: text } });
}

test("the plain reader and Parley's client time the same pieces, from the same prompt and the model's write", async () => {
  const sent = new Passed();
  const listening = new Set<StreamEars>();
  const plain = {
    listen(ears: StreamEars) {
      listening.add(ears);
      return () => void listening.delete(ears);
    },
  };
  const { native, parley } = await hearTwice(plain, sent, async () => {
    sent.note("word <0> ", 10);
    sent.note("word <1> ", 20);
    for (const ears of listening) {
      ears.data(JSON.stringify({ type: "session.status", properties: {} }), 11);
      ears.data(delta("ses_1", "word <0> "), 13);
      ears.data(delta("ses_1", "word <1> "), 24);
    }
    return { delays: [3.5, 6], first: 12, began: 5 };
  });
  assert.deepEqual(native, { delays: [3, 4], first: 8, began: 5 });
  assert.deepEqual(laterBy(parley, native), [0.5, 2]);
  assert.equal(listening.size, 0, "it listens no more");
});

test("a reader of one session does not hear the others, and one of all does", () => {
  const data = delta("ses_1", "word <0> ");
  assert.deepEqual(readEvent("ses_1")(data), { text: "word <0> " });
  assert.equal(readEvent("ses_2")(data), undefined);
  assert.deepEqual(readEvent()(data), { text: "word <0> " });
});

test("a further session costs the median of the steps, for all processes and for the first", () => {
  const steps = [
    { all: 500, own: 100 },
    { all: 540, own: 101 },
    { all: 530, own: 101 },
    { all: 560, own: 103 },
  ];
  assert.deepEqual(growthIn(steps), { before: { all: 500, own: 100 }, more: { all: 30, own: 1 } });
});

test("a request names another directory than the server's own", () => {
  assert.equal(pathIn("/event"), "/event");
  assert.equal(pathIn("/event", "/a b"), "/event?directory=%2Fa%20b");
});

test("an event that comes in two writes is read once, and the end of a stream is told", async (t) => {
  const server = createServer((_, response) => {
    response.write("data: one\n\ndata: t");
    setImmediate(() => response.end("wo\n\n"));
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const heard: string[] = [];
  const ended = Promise.withResolvers<string>();
  const { port } = server.address() as AddressInfo;
  await openStream(`http://127.0.0.1:${port}/`, { data: (text) => heard.push(text), fail: ended.resolve });
  assert.equal(await ended.promise, "the stream ended");
  assert.deepEqual(heard, ["one", "two"]);
});
