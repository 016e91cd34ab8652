import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { ParleyError } from "../../src/core/errors.ts";
import { closing, connected, mountAll, request, startServer, TOKEN } from "./helpers.ts";

test("health and readiness need no token, but the detail of a failure does", async () => {
  let broken: Error | undefined;
  let now = 0;
  await using server = await startServer({
    about: { version: "1.2.3" },
    ready: async () => {
      if (broken) throw broken;
    },
    now: () => now,
  });
  const anonymous = { authorization: "" };
  const health = await request(server.port, "GET /health", anonymous);
  assert.equal(health.status, 200);
  assert.deepEqual(JSON.parse(health.body), { status: "ok", version: "1.2.3" });
  assert.equal((await request(server.port, "GET /ready", anonymous)).status, 200);
  broken = new ParleyError("disk_full", "no room at /secret/place");
  assert.equal((await request(server.port, "GET /ready", anonymous)).status, 200, "an answer serves for a second");
  now += 1_000;
  const stranger = await request(server.port, "GET /ready", anonymous);
  assert.equal(stranger.status, 503);
  assert.doesNotMatch(stranger.text, /secret/);
  const owner = await request(server.port, "GET /ready");
  assert.equal(owner.status, 507);
  assert.match(owner.body, /secret\/place/);
  assert.equal((await request(server.port, "POST /health", anonymous)).status, 401);
});

test("metrics are open under a loopback name on a loopback address only", async () => {
  await using server = await startServer({ allowHosts: ["box.example"] });
  const open = await request(server.port, "GET /metrics", { authorization: "" });
  assert.equal(open.status, 200);
  assert.match(open.body, /parley_http_requests_in_flight 1/);
  assert.equal((await request(server.port, "GET /metrics", { authorization: "", host: "box.example" })).status, 401);
  assert.equal((await request(server.port, "GET /metrics", { host: "box.example" })).status, 200);
  await using wide = await startServer({ host: "0.0.0.0" });
  assert.equal((await request(wide.port, "GET /metrics", { authorization: "" })).status, 401);
});

test("an unknown path is a problem with the request's id", async () => {
  await using server = await startServer();
  const answer = await request(server.port, "GET /nowhere", { "x-request-id": "mine-1" });
  assert.equal(answer.status, 404);
  assert.equal(answer.headers.get("content-type"), "application/problem+json");
  assert.equal(answer.headers.get("x-request-id"), "mine-1");
  assert.equal(JSON.parse(answer.body).instance, "mine-1");
  const own = await request(server.port, "GET /nowhere", { "x-request-id": "bad id" });
  assert.match(own.headers.get("x-request-id") ?? "", /^req_/);
});

test("a surface is loaded by its first request, once, and again if that failed", async () => {
  let loads = 0;
  await using server = await startServer({
    mounts: [
      {
        match: (path) => path.startsWith("/a"),
        load: async () => {
          loads++;
          if (loads === 1) throw new Error("not this time");
          return (_request, response) => void response.end("a");
        },
      },
      mountAll((_request, response) => void response.end("b")),
    ],
  });
  assert.equal((await request(server.port, "GET /health")).status, 200);
  assert.equal((await request(server.port, "GET /b")).body, "b");
  assert.equal(loads, 0);
  assert.equal((await request(server.port, "GET /a")).status, 500);
  const answers = await Promise.all([1, 2, 3].map((n) => request(server.port, `GET /a/${n}`)));
  assert.deepEqual(
    answers.map((answer) => answer.body),
    ["a", "a", "a"],
  );
  assert.equal(loads, 2);
});

test("an error of a handler becomes an answer, and only the log has its stack", async () => {
  await using server = await startServer({
    mounts: [
      mountAll(async (_request, response, { path }) => {
        if (path === "/late") response.write("half");
        throw path === "/known" ? new ParleyError("session_not_found", "no such session") : new Error("private matter");
      }),
    ],
  });
  const known = await request(server.port, "GET /known");
  assert.equal(known.status, 404);
  assert.equal(JSON.parse(known.body).code, "session_not_found");
  const unknown = await request(server.port, "GET /unknown");
  assert.equal(unknown.status, 500);
  assert.doesNotMatch(unknown.text, /private|stack|listener\.test/);
  const logged = server.lines.find((line) => line.message === "a request failed");
  assert.match(String(logged?.fields.err), /private matter/);
  assert.equal(logged?.fields.request, unknown.headers.get("x-request-id"));
  const late = await request(server.port, "GET /late");
  assert.doesNotMatch(late.text, /\r\n0\r\n\r\n$/, "a broken response is not ended as if it were whole");
});

test("each request leaves one line and one count, and no token in either", async () => {
  const seen: string[] = [];
  await using server = await startServer({
    mounts: [
      mountAll((incoming, response) => {
        seen.push(incoming.url ?? "");
        response.writeHead(302, { location: `${incoming.url}/next` }).end();
      }),
    ],
  });
  const answer = await request(server.port, `GET /a?x=1&auth_token=${TOKEN}`, { authorization: "" });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.get("location"), "/a?x=1/next");
  assert.deepEqual(seen, ["/a?x=1"]);
  await request(server.port, "GET /a?auth_token=wrong-token-0123456789", { authorization: "" });
  const lines = server.lines.filter((line) => line.message === "request");
  assert.deepEqual(
    lines.map(({ level, fields }) => [level, fields.method, fields.path, fields.status]),
    [
      ["debug", "GET", "/a?x=1", 302],
      ["info", "GET", "/a", 401],
    ],
  );
  assert.ok(Number(lines[0]?.fields.bytes) > 100);
  assert.doesNotMatch(JSON.stringify(server.lines), new RegExp(`${TOKEN}|wrong-token`));
  const text = server.metrics.render();
  assert.match(text, /parley_http_requests_total\{method="GET",status="302"\} 1/);
  assert.match(text, /parley_http_refused_total\{by="auth"\} 1/);
  assert.match(text, /parley_http_requests_in_flight 0/);
});

test("wrong tokens from loopback run into 429, and the right one still passes", async () => {
  await using server = await startServer();
  const attempt = (token: string) => request(server.port, "GET /nowhere", { authorization: `Bearer ${token}` });
  for (let i = 0; i < 20; i++) assert.equal((await attempt(`wrong-${i}`)).status, 401);
  const blocked = await attempt("wrong-again");
  assert.equal(blocked.status, 429);
  assert.ok(Number(blocked.headers.get("retry-after")) > 0);
  assert.equal((await attempt(TOKEN)).status, 404);
});

test("without a token everybody on loopback passes", async () => {
  await using server = await startServer({
    token: null,
    mounts: [mountAll((_request, response) => void response.end("in"))],
  });
  assert.equal((await request(server.port, "GET /a", { authorization: "" })).body, "in");
});

test("an offer of h2c is answered as a plain request", async () => {
  await using server = await startServer();
  const answer = await request(server.port, "GET /health", { upgrade: "h2c", connection: "upgrade" });
  assert.equal(answer.status, 200);
});

test("a server that stops accepting finishes its open requests, refuses new ones and closes", async () => {
  const release = Promise.withResolvers<void>();
  await using server = await startServer({
    mounts: [
      mountAll(async (_request, response) => {
        await release.promise;
        response.end("done");
      }),
    ],
  });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`;
  const idle = await connected(server.port);
  idle.write(get("/health"));
  await once(idle, "data");
  const busy = await connected(server.port);
  const chunks: Buffer[] = [];
  busy.on("data", (chunk: Buffer) => chunks.push(chunk));
  busy.write(get("/first"));
  while (!server.metrics.render().includes("in_flight 1")) await new Promise(setImmediate);
  server.listener.stopAccepting();
  await closing(idle.resume());
  await assert.rejects(connected(server.port), /ECONNREFUSED/);
  busy.write(get("/second"));
  while (!server.metrics.render().includes("in_flight 2")) await new Promise(setImmediate);
  release.resolve();
  await closing(busy);
  const statuses = [
    ...Buffer.concat(chunks)
      .toString()
      .matchAll(/HTTP\/1\.1 (\d+)/g),
  ].map(([, status]) => status);
  assert.deepEqual(statuses, ["200", "503"]);
});
