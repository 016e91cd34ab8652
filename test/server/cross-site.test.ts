import assert from "node:assert/strict";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { test } from "node:test";
import { closing, connected, exchange, parseAnswer, request, startServer, TOKEN } from "./helpers.ts";

const COOKIE = { authorization: "", cookie: `parley_token=${TOKEN}` };
const JSON_BODY = { "content-type": "application/json" };
const EVIL = "https://evil.example";

/** Requests that a foreign page can make a browser send, always with the cookie of the victim. */
const ATTACKS: [string, string, Record<string, string>, string, number][] = [
  ["a JSON write", "POST /write", { ...JSON_BODY, origin: EVIL }, "{}", 403],
  ["a write of a sandboxed frame", "POST /write", { ...JSON_BODY, origin: "null" }, "{}", 403],
  [
    "a write from another port of this machine",
    "POST /write",
    { ...JSON_BODY, origin: "http://localhost:1" },
    "{}",
    403,
  ],
  ["a form", "POST /write", { origin: EVIL, "content-type": "application/x-www-form-urlencoded" }, "a=1", 403],
  ["a form without an Origin", "POST /write", { "content-type": "application/x-www-form-urlencoded" }, "a=1", 415],
  ["an upload without an Origin", "POST /write", { "content-type": "multipart/form-data; boundary=x" }, "--x--", 415],
  ["text without an Origin", "POST /write", { "content-type": "text/plain" }, '{"a":1}', 415],
  ["a body without a type", "POST /write", {}, "{}", 415],
  ["a beacon", "POST /write", { origin: EVIL, "content-type": "text/plain;charset=UTF-8" }, "{}", 403],
  [
    "a fetch in the mode no-cors",
    "GET /write",
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    "",
    403,
  ],
  ["an image of another port", "GET /write", { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, "", 403],
  ["a read", "GET /write", { origin: EVIL }, "", 403],
  ["an event stream", "GET /write", { origin: EVIL, accept: "text/event-stream" }, "", 403],
  ["a delete", "DELETE /write", { origin: EVIL }, "", 403],
  ["a preflight", "OPTIONS /write", { origin: EVIL, "access-control-request-method": "POST" }, "", 403],
];

async function withState(
  run: (port: number, changes: () => number) => Promise<void>,
  cors: string[] = [],
): Promise<void> {
  let changes = 0;
  await using server = await startServer({
    cors,
    mounts: [
      {
        match: () => true,
        load: async () => (_request, response) => {
          changes++;
          response.end("changed");
        },
        loadUpgrade: async () => (_request, socket: Duplex) => {
          changes++;
          socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
        },
      },
    ],
  });
  await run(server.port, () => changes);
}

test("nothing that a foreign page sends changes anything", () =>
  withState(async (port, changes) => {
    for (const [name, line, headers, body, status] of ATTACKS) {
      const answer = await request(port, line, { ...COOKIE, ...headers }, body);
      assert.equal(answer.status, status, name);
      assert.equal(answer.headers.get("access-control-allow-origin"), undefined, name);
      if (headers.origin !== undefined) assert.match(answer.body, /--cors/, name);
    }
    assert.equal(changes(), 0);
  }));

test("the same requests do change something when they come from our own page", () =>
  withState(async (port, changes) => {
    const own = `http://127.0.0.1:${port}`;
    for (const [index, [name, line, , body]] of ATTACKS.entries()) {
      const headers = body === "" ? { origin: own } : { ...JSON_BODY, origin: own };
      const answer = await request(port, line, { ...COOKIE, ...headers }, body);
      assert.equal(answer.status, 200, name);
      assert.equal(changes(), index + 1, name);
    }
  }));

test("a listed origin may do all of it, and reads the answers, refusals too", () =>
  withState(
    async (port, changes) => {
      const from = { origin: "https://app.example" };
      const preflight = await request(port, "OPTIONS /write", {
        ...from,
        authorization: "",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get("access-control-allow-origin"), "https://app.example");
      assert.equal(preflight.headers.get("access-control-allow-headers"), "authorization,content-type");
      assert.equal(changes(), 0);
      const write = await request(port, "POST /write", { ...from, ...JSON_BODY }, "{}");
      assert.equal(write.status, 200);
      assert.equal(write.headers.get("access-control-allow-origin"), "https://app.example");
      assert.equal(write.headers.get("vary"), "Origin");
      assert.equal(changes(), 1);
      const refused = await request(
        port,
        "POST /write",
        { ...from, ...JSON_BODY, authorization: "Bearer wrong" },
        "{}",
      );
      assert.equal(refused.status, 401);
      assert.equal(refused.headers.get("access-control-allow-origin"), "https://app.example");
    },
    ["https://app.example"],
  ));

const HANDSHAKE = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13", "sec-websocket-key: eA=="];

const UPGRADES: [string, string[], number][] = [
  ["a foreign page", [`origin: ${EVIL}`, `cookie: parley_token=${TOKEN}`], 403],
  ["a sandboxed frame", ["origin: null", `cookie: parley_token=${TOKEN}`], 403],
  ["no token", [], 401],
  ["a wrong token", ["authorization: Bearer wrong"], 401],
];

test("an upgrade passes the same guards", () =>
  withState(async (port, changes) => {
    for (const [name, headers, status] of UPGRADES) {
      const answer = await exchange(port, ["GET /ws HTTP/1.1", "host: localhost", ...HANDSHAKE, ...headers]);
      assert.equal(answer.status, status, name);
      assert.equal(JSON.parse(answer.body).status, status);
    }
    const rebound = await exchange(port, ["GET /ws HTTP/1.1", "host: evil.example", ...HANDSHAKE]);
    assert.equal(rebound.status, 421);
    assert.equal(changes(), 0);
    const target = `GET /ws?auth_token=${TOKEN} HTTP/1.1`;
    const passed = await exchange(port, [
      target,
      `host: localhost:${port}`,
      ...HANDSHAKE,
      `origin: http://localhost:${port}`,
    ]);
    assert.equal(passed.status, 101);
    assert.equal(changes(), 1);
  }));

test("an upgrade that nobody serves is refused, and a peer that leaves early does no harm", async () => {
  const loading = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  await using server = await startServer({
    mounts: [
      {
        match: (path) => path === "/ws",
        load: () => Promise.reject(new Error("not for requests")),
        loadUpgrade: async () => {
          started.resolve();
          await loading.promise;
          throw new Error("never loads");
        },
      },
    ],
  });
  const auth = `authorization: Bearer ${TOKEN}`;
  const nowhere = await exchange(server.port, ["GET /other HTTP/1.1", "host: localhost", auth, ...HANDSHAKE]);
  assert.equal(nowhere.status, 404);
  const socket = await connected(server.port);
  socket.write(["GET /ws HTTP/1.1", "host: localhost", auth, ...HANDSHAKE, "", ""].join("\r\n"));
  await started.promise;
  socket.resetAndDestroy();
  loading.resolve();
  const answer = await exchange(server.port, ["GET /ws HTTP/1.1", "host: localhost", auth, ...HANDSHAKE]);
  assert.equal(answer.status, 500);
});

test("open sockets of upgrades are cut when the server closes", async () => {
  await using server = await startServer({
    mounts: [
      {
        match: () => true,
        load: () => Promise.reject(new Error("not for requests")),
        loadUpgrade: async () => (_request, socket) => void socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
      },
    ],
  });
  const socket = await connected(server.port);
  socket.write(
    ["GET / HTTP/1.1", "host: localhost", `authorization: Bearer ${TOKEN}`, ...HANDSHAKE, "", ""].join("\r\n"),
  );
  const [chunk] = await once(socket, "data");
  assert.equal(parseAnswer(String(chunk)).status, 101);
  const closed = closing(socket);
  await server.listener.close(60_000);
  await closed;
});
