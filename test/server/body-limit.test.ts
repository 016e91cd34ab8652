import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { closing, connected, exchange, mountAll, parseAnswer, request, startServer, TOKEN } from "./helpers.ts";

const LIMIT = 100_000;
const JSON_TYPE = { "content-type": "application/json" };
const HEAD = [
  "POST /x HTTP/1.1",
  "host: localhost",
  `authorization: Bearer ${TOKEN}`,
  "content-type: application/json",
];

async function withLimit(run: (port: number, bodies: number[]) => Promise<void>): Promise<void> {
  const bodies: number[] = [];
  await using server = await startServer({
    bodyLimit: LIMIT,
    mounts: [
      mountAll((_request, response, { body }) => {
        bodies.push(body?.length ?? -1);
        response.end("taken");
      }),
    ],
  });
  await run(server.port, bodies);
}

const chunked = (size: number, times: number): string =>
  `${`${size.toString(16)}\r\n${"x".repeat(size)}\r\n`.repeat(times)}0\r\n\r\n`;

test("a body within the limit reaches the handler whole, announced or chunked", () =>
  withLimit(async (port, bodies) => {
    assert.equal((await request(port, "POST /x", JSON_TYPE, "x".repeat(LIMIT))).body, "taken");
    const head = [...HEAD, "transfer-encoding: chunked", "connection: close"];
    assert.equal((await exchange(port, head, chunked(LIMIT / 10, 10))).body, "taken");
    assert.equal((await request(port, "POST /x")).body, "taken");
    assert.deepEqual(bodies, [LIMIT, LIMIT, -1]);
  }));

test("a body over the limit is refused with 413 and never reaches the handler", () =>
  withLimit(async (port, bodies) => {
    const announced = await request(port, "POST /x", JSON_TYPE, "x".repeat(LIMIT + 1));
    assert.equal(announced.status, 413);
    assert.equal(JSON.parse(announced.body).limit, LIMIT);
    const counted = await exchange(port, [...HEAD, "transfer-encoding: chunked"], chunked(LIMIT, 2));
    assert.equal(counted.status, 413);
    assert.deepEqual(bodies, []);
  }));

test("a sender that goes on and on hears the answer first and is then cut", () =>
  withLimit(async (port) => {
    const socket = await connected(port);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    const closed = closing(socket);
    socket.write([...HEAD, "transfer-encoding: chunked", "", ""].join("\r\n"));
    const piece = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const pump = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", pump);
    pump();
    await closed;
    const answer = parseAnswer(Buffer.concat(chunks).toString());
    assert.equal(answer.status, 413);
    assert.equal(answer.headers.get("connection"), "close");
    assert.equal(JSON.parse(answer.body).code, "too_large");
  }));

test("a client that sends Expect is told to go on, or not to", () =>
  withLimit(async (port, bodies) => {
    const ask = async (length: number): Promise<string> => {
      const socket = await connected(port);
      socket.write([...HEAD, `content-length: ${length}`, "expect: 100-continue", "", ""].join("\r\n"));
      const [chunk] = await once(socket, "data");
      socket.destroy();
      return String(chunk).split("\r\n", 1)[0] ?? "";
    };
    assert.equal(await ask(10), "HTTP/1.1 100 Continue");
    assert.match(await ask(LIMIT + 1), / 413 /);
    assert.deepEqual(bodies, []);
  }));

test("a stranger's body is not read", () =>
  withLimit(async (port, bodies) => {
    const answer = await request(port, "POST /x", { ...JSON_TYPE, authorization: "" }, "x".repeat(LIMIT));
    assert.equal(answer.status, 401);
    assert.deepEqual(bodies, []);
  }));

test("a client that leaves in the middle of its body leaves no error behind", async () => {
  let runs = 0;
  await using server = await startServer({ mounts: [mountAll(() => void runs++)] });
  const socket = await connected(server.port);
  socket.write([...HEAD, "content-length: 10", "", "12345"].join("\r\n"));
  while (!server.metrics.render().includes("in_flight 1")) await new Promise(setImmediate);
  socket.resetAndDestroy();
  while (!server.metrics.render().includes("in_flight 0")) await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.equal(runs, 0);
  assert.deepEqual(
    server.lines.filter((line) => line.level === "error"),
    [],
  );
});

test("a hono app finds the body that was read for it", async () => {
  await using server = await startServer({
    mounts: [
      {
        match: () => true,
        async load() {
          const [{ Hono }, { getRequestListener }] = await Promise.all([import("hono"), import("@hono/node-server")]);
          const app = new Hono();
          app.post("/echo", async (c) => c.json({ got: await c.req.json() }));
          const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
          return async (incoming, response) => void (await listener(incoming, response));
        },
      },
    ],
  });
  const answer = await request(server.port, "POST /echo", JSON_TYPE, '{"a":"ü"}');
  assert.equal(answer.status, 200);
  assert.deepEqual(JSON.parse(answer.body), { got: { a: "ü" } });
  assert.match(answer.headers.get("x-request-id") ?? "", /^req_/);
});

test("a body that comes too slowly gets 408 with words, and its connection is closed", async () => {
  const seen: string[] = [];
  for (const times of [
    { allMs: 60_000, silentMs: 50 },
    { allMs: 200, silentMs: 60_000 },
  ]) {
    await using server = await startServer({
      bodyTimes: times,
      mounts: [mountAll((_request, response) => void response.end("taken"))],
    });
    const socket = await connected(server.port);
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    const closed = closing(socket);
    socket.write([...HEAD, "content-length: 1000", "", '{"text":'].join("\r\n"));
    const drip = setInterval(() => socket.write(" "), times.silentMs === 50 ? 100_000 : 20);
    await closed;
    clearInterval(drip);
    const { status, body } = parseAnswer(Buffer.concat(chunks).toString());
    assert.equal(status, 408);
    seen.push(JSON.parse(body).detail);
  }
  assert.match(seen[0] ?? "", /^expected more of the body every 0\.05 s, got 8 bytes until then: send it faster/);
  assert.match(seen[1] ?? "", /^expected the whole body within 0\.2 s, got \d+ bytes until then: send it faster/);
});

test("a body of too many values, or too deep, gets 413 with words before anybody reads it", () =>
  withLimit(async (port, bodies) => {
    for (const body of ["[".repeat(300), `[${"1,".repeat(10_000)}1]`, `{"a":"\\"",${'"b":[],'.repeat(6_000)}`]) {
      const answer = await request(port, "POST /x", JSON_TYPE, body);
      assert.equal(answer.status, 413);
      assert.match(JSON.parse(answer.body).detail, /expected a body of at most \d+ (values|levels)/);
    }
    for (const body of [`"${"[,".repeat(20_000)}"`, `["\\\\","${"{".repeat(300)}\\"${"[".repeat(300)}"]`]) {
      assert.equal((await request(port, "POST /x", JSON_TYPE, body)).body, "taken");
    }
    assert.equal(bodies.length, 2);
  }));
