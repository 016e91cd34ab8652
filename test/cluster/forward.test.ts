import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { forward } from "../../src/server/cluster/forward.ts";
import { HOP_HEADER, MOVED_HEADER } from "../../src/server/cluster/hop.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function serving(t: TestContext, answer: Answer): Promise<string> {
  const server: Server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A node that passes everything on to another address; `ended` hears how each passing ended. */
async function passing(t: TestContext, address: string, ended: (how: unknown) => void = () => {}): Promise<string> {
  return serving(t, async (incoming, response) => {
    const body = incoming.method === "GET" ? undefined : await bodyOf(incoming);
    await forward({ request: incoming, response, id: "req_1", body, secret: "s3cret" }, { node: "b", address }).then(
      (moved) => {
        ended(moved);
        if (moved !== undefined) response.end(`moved to ${moved}`);
      },
      (error: { code: string; message: string }) => {
        ended(error);
        response.writeHead(503).end(error.message);
      },
    );
  });
}

test("a request is passed on whole, and its answer back with status and headers", async (t) => {
  const seen: unknown[] = [];
  const node = await serving(t, async (incoming, response) => {
    const { method, url, headers } = incoming;
    seen.push([method, url, headers[HOP_HEADER], headers.authorization, (await bodyOf(incoming)).toString()]);
    response
      .writeHead(201, { "content-type": "text/plain", location: "/x", "access-control-allow-origin": "*" })
      .end("made");
  });
  const door = await passing(t, node);
  const response = await fetch(`${door}/v1/sessions?x=%20y`, {
    method: "POST",
    headers: { authorization: "Bearer t" },
    body: "café",
  });
  assert.deepEqual([response.status, response.headers.get("location"), await response.text()], [201, "/x", "made"]);
  assert.equal(response.headers.get("access-control-allow-origin"), null, "this node answers for its own origins");
  assert.deepEqual(seen, [["POST", "/v1/sessions?x=%20y", "s3cret", undefined, "café"]]);
});

test("an answer is passed on as it comes, and a client that leaves ends the request there", async (t) => {
  const gone = Promise.withResolvers<void>();
  const node = await serving(t, (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    response.once("close", gone.resolve);
  });
  const client = request(`${await passing(t, node)}/v1/stream`).end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  const [chunk] = await once(answer, "data");
  assert.equal(String(chunk), "data: 1\n\n");
  client.destroy();
  await gone.promise;
});

test("an answer that is cut is cut here, too", async (t) => {
  const node = await serving(t, (_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.destroy());
  });
  await assert.rejects(async () => (await fetch(await passing(t, node))).text());
});

test("a node that cannot be reached is unavailable, and nothing is written", async (t) => {
  const dead = await serving(t, () => {});
  const ended = Promise.withResolvers<unknown>();
  const door = await passing(t, dead.replace(/\d+$/, "1"), ended.resolve);
  const response = await fetch(door);
  assert.match(await response.text(), /node b has this and cannot be reached now/);
  assert.equal((await ended.promise) instanceof Error, true);
});

test("a node that has no address yet is unavailable", async (t) => {
  assert.match(
    await (await fetch(await passing(t, ""))).text(),
    /node b has this and cannot be reached now \(it is starting\)/,
  );
});

test("a session that moved is told with its new address", async (t) => {
  const node = await serving(t, (_, response) =>
    response.writeHead(503, { [MOVED_HEADER]: "http://c.example" }).end("{}"),
  );
  assert.equal(await (await fetch(await passing(t, node))).text(), "moved to http://c.example");
});

test("a large answer waits for a slow client", async (t) => {
  const piece = Buffer.alloc(1024 * 1024, 1);
  const node = await serving(t, async (_, response) => {
    response.writeHead(200);
    for (let n = 0; n < 32; n++) if (!response.write(piece)) await once(response, "drain");
    response.end();
  });
  const client = request(await passing(t, node)).end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  assert.equal(bytes, 32 * 1024 * 1024);
});
