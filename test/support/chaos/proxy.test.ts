import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { staysSo } from "../time.ts";
import { CALM, type Rates } from "./faults.ts";
import { ChaosProxy } from "./proxy.ts";

const FRAMES = Array.from(
  { length: 40 },
  (_, index) =>
    `data: ${JSON.stringify({ properties: { messageID: `msg_${index % 4}`, delta: `wört ${index} ` } })}\n\n`,
);

/** A server with a short event stream, and one thing that can be read and changed. */
async function place(t: TestContext, rates: Partial<Rates>, seed = 1) {
  const asked: string[] = [];
  const server = createServer(async (request, answer) => {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    asked.push(`${request.method} ${request.url} ${Buffer.concat(pieces).toString()}`);
    if (!request.url?.startsWith("/event")) {
      answer.writeHead(201, { "x-more": "kept" }).end("äußerst");
      return;
    }
    answer.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of FRAMES) answer.write(frame);
    if (request.url === "/event?ends") answer.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = await ChaosProxy.start({ target, seed, rates: { ...CALM, ...rates } });
  t.after(async () => {
    await proxy[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });
  return { proxy, asked };
}

/** Reads a stream until it ends or breaks. */
async function readAll(url: string): Promise<{ text: string; broke: boolean }> {
  const pieces: Buffer[] = [];
  try {
    const { body } = await fetch(url);
    for await (const piece of body ?? []) pieces.push(Buffer.from(piece));
    return { text: Buffer.concat(pieces).toString(), broke: false };
  } catch {
    return { text: Buffer.concat(pieces).toString(), broke: true };
  }
}

describe("a proxy of chaos", () => {
  test("without faults it passes on every byte, and the end", async (t) => {
    const { proxy } = await place(t, {});
    assert.deepEqual(await readAll(`${proxy.url}/event?ends`), { text: FRAMES.join(""), broke: false });
    assert.deepEqual(proxy.faults, {});
  });

  test("cuts break the connection, cleanly or not, also within a frame", async (t) => {
    const { proxy } = await place(t, { cut: 0.2 });
    const all = [];
    for (let run = 0; run < 30; run++) all.push(await readAll(`${proxy.url}/event`));
    assert.ok(all.every(({ text }) => FRAMES.join("").startsWith(text)));
    assert.ok(all.some(({ broke }) => broke));
    assert.ok(all.some(({ broke }) => !broke));
    assert.ok(all.some(({ text }) => text !== "" && !text.endsWith("\n\n")));
    assert.equal(proxy.opened, 30);
    assert.match(String(proxy), /^PARLEY_SEED=1: 30 streams, 30 cut$/);
  });

  test("a frame that was held back comes, although nothing follows it", async (t) => {
    const { proxy } = await place(t, { swap: 1 });
    const response = await fetch(`${proxy.url}/event`);
    let text = "";
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      if (text.length === FRAMES.join("").length) break;
    }
    assert.deepEqual(text.split("\n\n").sort(), FRAMES.join("").split("\n\n").sort());
  });

  test("a silent connection stays open, even when the server ends it", async (t) => {
    const { proxy } = await place(t, { silence: 1 });
    const stop = new AbortController();
    const response = await fetch(`${proxy.url}/event?ends`, { signal: stop.signal });
    let heard = false;
    const reading = response.body
      ?.getReader()
      .read()
      .then(
        () => {
          heard = true;
        },
        () => {},
      );
    await staysSo("silence", () => !heard);
    stop.abort();
    await reading;
  });

  test("calm ends the faults of open and new streams", async (t) => {
    const { proxy } = await place(t, { drop: 1, cut: 1, refuse: 1 });
    proxy.calm();
    assert.equal((await readAll(`${proxy.url}/event?ends`)).text, FRAMES.join(""));
    assert.equal((await fetch(`${proxy.url}/thing`)).status, 201);
  });

  test("all open streams can be broken at once", async (t) => {
    const { proxy } = await place(t, {});
    const responses = await Promise.all([fetch(`${proxy.url}/event`), fetch(`${proxy.url}/event`)]);
    assert.equal(proxy.cut(), 2);
    for (const response of responses) await assert.rejects(response.text());
  });

  test("a request that changes something always arrives, once and whole", async (t) => {
    const { proxy, asked } = await place(t, { refuse: 1, late: 0.5 });
    for (let run = 0; run < 5; run++) {
      const response = await fetch(`${proxy.url}/thing?x=${run}`, { method: "POST", body: "größer" });
      assert.equal(response.status, 201);
      assert.equal(response.headers.get("x-more"), "kept");
      assert.equal(await response.text(), "äußerst");
    }
    assert.deepEqual(
      asked,
      [0, 1, 2, 3, 4].map((run) => `POST /thing?x=${run} größer`),
    );
  });

  test("a request that only reads may be refused, and is not passed on then", async (t) => {
    const { proxy, asked } = await place(t, { refuse: 0.6 });
    const outcomes: string[] = [];
    for (let run = 0; run < 30; run++)
      outcomes.push(
        await fetch(`${proxy.url}/thing`).then(
          ({ status }) => String(status),
          () => "broke",
        ),
      );
    assert.deepEqual([...new Set(outcomes)].sort(), ["201", "502", "broke"]);
    assert.equal(asked.length, outcomes.filter((outcome) => outcome === "201").length);
  });
});
