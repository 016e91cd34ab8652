import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { parseFailure } from "../../src/server/http/client-errors.ts";
import { closing, connected, mountAll, parseAnswer, request, startServer, TOKEN } from "./helpers.ts";

const HEAD = `POST /x HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\n`;

const ROWS: [string, string, number][] = [
  ["noise", "\u0000\u0001\u0002 what is this\r\n\r\n", 400],
  ["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003", 400],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["a header without a colon", "GET / HTTP/1.1\r\nhost localhost\r\n\r\n", 400],
  ["a space before the colon", "GET / HTTP/1.1\r\nhost : localhost\r\n\r\n", 400],
  ["a length and chunks", `${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["two lengths", `${HEAD}content-length: 5\r\ncontent-length: 6\r\n\r\n12345`, 400],
  ["a negative length", `${HEAD}content-length: -1\r\n\r\n`, 400],
  ["a length that is no number", `${HEAD}content-length: 0x5\r\n\r\n12345`, 400],
  ["headers without end", `GET / HTTP/1.1\r\nx: ${"x".repeat(20_000)}\r\n\r\n`, 431],
];

test("bytes that are no HTTP get a problem and a closed connection, and the server goes on", async () => {
  let runs = 0;
  await using server = await startServer({ mounts: [mountAll(() => void runs++)] });
  for (const [name, bytes, status] of ROWS) {
    const socket = await connected(server.port);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.write(Buffer.from(bytes, "latin1"));
    await closing(socket);
    const answer = parseAnswer(Buffer.concat(chunks).toString());
    assert.equal(answer.status, status, name);
    assert.equal(JSON.parse(answer.body).status, status, name);
  }
  assert.equal(runs, 0);
  assert.equal((await request(server.port, "GET /health")).status, 200);
});

test("noise behind a request that is being answered only ends the connection", async () => {
  await using server = await startServer({ mounts: [mountAll((_request, response) => void response.write("begun"))] });
  const socket = await connected(server.port);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(`GET /x HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`);
  await once(socket, "data");
  socket.write("\u0000\u0000\u0000\r\n\r\n");
  await closing(socket);
  assert.doesNotMatch(Buffer.concat(chunks).toString(), /HTTP\/1\.1 400/);
});

test("a request that never comes to its end is a timeout", () => {
  assert.equal(parseFailure("ERR_HTTP_REQUEST_TIMEOUT").status, 408);
});
