import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { boundedFetch, boundLines } from "../../../src/agents/house/model/bounded-fetch.ts";

async function through(pieces: readonly string[], limit: number): Promise<string> {
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
  return new Response(source.pipeThrough(boundLines(limit))).text();
}

test("lines within the limit pass as they came, however they are cut; a longer one ends the stream", async () => {
  const lines = "data: 1\n\ndata: 22\n";
  for (let at = 0; at < lines.length; at++)
    assert.equal(await through([lines.slice(0, at), lines.slice(at)], 8), lines);
  for (const pieces of [["123456789\n"], ["1234", "56789"], ["\n1234", "56", "789\n"]])
    await assert.rejects(through(pieces, 8), /expected lines of at most 8 bytes in the model's answer/);
});

test("a model that says one endless line is given up, and an error of it comes whole", async (t) => {
  const server = createServer((request, response) => {
    const endless = request.url === "/endless";
    response.writeHead(200, { "content-type": endless ? "text/event-stream" : "application/json" });
    if (endless) response.write(`data: ${"x".repeat(3 * 1024 * 1024)}`);
    else response.end(JSON.stringify({ error: "x".repeat(3 * 1024 * 1024) }));
  }).listen(0, "127.0.0.1");
  t.after(() => void server.close());
  t.after(() => server.closeAllConnections());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await assert.rejects(
    async () => (await boundedFetch(`${url}/endless`)).text(),
    /in the model's answer, got a longer one/,
  );
  assert.equal((await (await boundedFetch(`${url}/error`)).text()).length, 3 * 1024 * 1024 + 12);
});
