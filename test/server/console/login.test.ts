import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createClient } from "../../../src/client/index.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { type Answer, exchange, request } from "../helpers.ts";

const TOKEN = "walnut-token-0123456789";
const portOf = ({ parley }: TestServer): number => Number(new URL(parley.url).port);
const JSON_BODY = { "content-type": "application/json", authorization: "" };

const enter = (server: TestServer, shown: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  request(portOf(server), "POST /console/login", { ...JSON_BODY, ...headers }, JSON.stringify(shown));

async function linkOf(server: TestServer): Promise<{ url: string; code: string }> {
  const { url, expires } = await createClient({ url: server.parley.url, token: TOKEN }).consoleLink();
  const left = (expires ?? 0) - Date.now();
  assert.ok(left > 4 * 60_000 && left <= 5 * 60_000, `${left}`);
  const code = /^http:\/\/127\.0\.0\.1:\d+\/console\/#enter=([\w-]{32})$/.exec(url)?.[1] ?? "";
  assert.notEqual(code, "", url);
  return { url, code };
}

async function cookieOf(server: TestServer): Promise<string> {
  const { status, headers } = await enter(server, { token: TOKEN });
  assert.equal(status, 204);
  return (headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
}

const statusWith = async (server: TestServer, cookie: string, headers: Record<string, string> = {}) =>
  (await request(portOf(server), "GET /v1/agents", { authorization: "", cookie, ...headers })).status;

const scene = (t: TestContext, token: string | null = TOKEN, more = {}) => startServer(t, { token, ...more });

test("a link lets one browser in, once, and its cookie is good for the API and after a restart", async (t) => {
  const server = await scene(t);
  const { code } = await linkOf(server);
  const { status, headers, body } = await enter(server, { code }, { origin: server.parley.url });
  assert.deepEqual([status, body, headers.get("cache-control")], [204, "", "no-store"]);
  const set = headers.get("set-cookie") ?? "";
  assert.match(set, /^parley_console_[0-9a-f]{8}=.*; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
  const cookie = set.split(";", 1)[0] ?? "";
  assert.equal(await statusWith(server, cookie), 200);
  const again = await enter(server, { code });
  assert.equal(again.status, 401);
  assert.match(again.body, /was used already/);
  assert.equal(again.headers.get("set-cookie"), undefined);
  assert.equal(again.headers.get("www-authenticate"), undefined, "the page has a form of its own");
  const made = await linkOf(server);
  await server.restart();
  assert.equal(await statusWith(server, cookie), 200);
  const gone = await enter(server, { code: made.code });
  assert.deepEqual([gone.status, /has started anew/.test(gone.body)], [401, true]);
});

test("two browsers that show one code at once: one gets in", async (t) => {
  const server = await scene(t);
  const { code } = await linkOf(server);
  const answers = await Promise.all(Array.from({ length: 8 }, () => enter(server, { code })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(7).fill(401)]);
});

test("the token lets in, too, and nothing else does", async (t) => {
  const server = await scene(t);
  assert.equal(await statusWith(server, await cookieOf(server)), 200);
  for (const [shown, status] of [
    [{ token: "wrong" }, 401],
    [{ token: "" }, 401],
    [{ code: "" }, 401],
    [{ code: TOKEN }, 401],
    [{}, 422],
    [[], 422],
    [null, 422],
    [{ token: [TOKEN] }, 422],
    [{ token: TOKEN, code: "x" }, 422],
  ] as const) {
    const answer = await enter(server, shown);
    assert.equal(answer.status, status, JSON.stringify(shown));
    assert.equal(answer.headers.get("set-cookie"), undefined);
  }
  const broken = await request(portOf(server), "POST /console/login", JSON_BODY, `{"token":"${TOKEN}`);
  assert.equal(broken.status, 422);
  assert.doesNotMatch(broken.text, new RegExp(TOKEN));
});

test("codes that are guessed count as wrong tokens do, and used ones do not", async (t) => {
  const server = await scene(t);
  const { code } = await linkOf(server);
  assert.equal((await enter(server, { code })).status, 204);
  for (let i = 0; i < 25; i++) assert.equal((await enter(server, { code })).status, 401);
  for (let i = 0; i < 20; i++) assert.equal((await enter(server, { code: `guess-${i}` })).status, 401);
  const blocked = await enter(server, { code: "guess-20" });
  assert.equal(blocked.status, 429);
  assert.ok(Number(blocked.headers.get("retry-after")) > 0);
  assert.equal(await statusWith(server, ""), 429, "for the API, too");
  assert.equal((await enter(server, { token: TOKEN })).status, 204, "nobody of this machine can lock its owner out");
});

test("a link is made for those who have the token, not for strangers", async (t) => {
  const server = await scene(t);
  assert.equal((await request(portOf(server), "POST /v1/console-links", { authorization: "" })).status, 401);
  assert.equal(
    (await request(portOf(server), "GET /v1/console-links", { authorization: `Bearer ${TOKEN}` })).status,
    404,
  );
});

test("logging out takes the cookie away", async (t) => {
  const server = await scene(t);
  const cookie = await cookieOf(server);
  const { status, headers } = await request(portOf(server), "POST /console/logout", { authorization: "", cookie });
  assert.equal(status, 204);
  const [name = ""] = cookie.split("=");
  assert.equal(headers.get("set-cookie"), `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`);
});

test("a cookie ends with the token that it was made by, and is none at another server", async (t) => {
  const [server, other] = [await scene(t), await scene(t, "another-token-0123456789")];
  const cookie = await cookieOf(server);
  assert.equal(await statusWith(other, cookie), 401);
  const { headers } = await enter(other, { token: "another-token-0123456789" });
  const theirs = (headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const both = `${theirs}; ${cookie}`;
  assert.deepEqual([await statusWith(server, both), await statusWith(other, both)], [200, 200], "one host has both");
  await server.restart({ token: "a-newer-token-0123456789" });
  assert.equal(await statusWith(server, cookie), 401);
});

const EVIL = "https://evil.example";

test("nothing of another site or port gets in or out by the cookie", async (t) => {
  const server = await scene(t);
  const port = portOf(server);
  const cookie = await cookieOf(server);
  const { code } = await linkOf(server);
  const foreign: [string, string, Record<string, string>, string, number][] = [
    ["a login by a foreign page", "POST /console/login", { origin: EVIL }, JSON.stringify({ code }), 403],
    ["a login by a sandboxed frame", "POST /console/login", { origin: "null" }, JSON.stringify({ code }), 403],
    ["a login by another port", "POST /console/login", { origin: "http://127.0.0.1:1" }, JSON.stringify({ code }), 403],
    ["a login by a form", "POST /console/login", { "content-type": "text/plain" }, JSON.stringify({ code }), 415],
    [
      "a login of a name that is not ours",
      "POST /console/login",
      { host: "evil.example" },
      JSON.stringify({ code }),
      421,
    ],
    ["a logout by a foreign page", "POST /console/logout", { origin: EVIL }, "", 403],
    ["a link for a foreign page", "POST /v1/console-links", { origin: EVIL }, "", 403],
    ["a write by a foreign page", "POST /v1/sessions", { origin: EVIL }, "{}", 403],
    ["a write by a form", "POST /v1/sessions", { "content-type": "text/plain" }, "{}", 415],
    [
      "a read by a frame of another port",
      "GET /v1/agents",
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" },
      "",
      401,
    ],
    ["a read by an image", "GET /v1/agents", { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, "", 403],
    ["a rebound name", "GET /v1/agents", { host: "evil.example" }, "", 421],
  ];
  for (const [name, line, headers, body, status] of foreign) {
    const answer = await request(port, line, { ...JSON_BODY, cookie, ...headers }, body);
    assert.equal(answer.status, status, name);
    assert.equal(answer.headers.get("set-cookie"), undefined, name);
    assert.equal(answer.headers.get("access-control-allow-origin"), undefined, name);
  }
  assert.equal((await enter(server, { code })).status, 204, "none of them has used the code");
  assert.deepEqual((await server.api.expect<{ sessions: [] }>(200, "GET", "/v1/sessions")).sessions, []);
});

test("a WebSocket takes the cookie of our own page, and of no other", async (t) => {
  const server = await scene(t);
  const port = portOf(server);
  const cookie = await cookieOf(server);
  const upgrade = (...headers: string[]): Promise<Answer> =>
    exchange(port, [
      "GET /acp HTTP/1.1",
      `host: 127.0.0.1:${port}`,
      "connection: Upgrade",
      "upgrade: websocket",
      "sec-websocket-version: 13",
      "sec-websocket-key: eA==",
      ...headers,
    ]);
  assert.equal((await upgrade()).status, 401);
  assert.equal((await upgrade(`cookie: ${cookie}`, `origin: ${EVIL}`)).status, 403);
  assert.equal((await upgrade(`cookie: ${cookie}`, "origin: http://127.0.0.1:1")).status, 403);
  const own = await upgrade(`cookie: ${cookie}`, `origin: http://127.0.0.1:${port}`);
  assert.equal(own.status, 400, "let in, and refused for its key alone");
});

test("on https, which a proxy speaks, the cookie is for https alone", async (t) => {
  const advertise = "https://parley.example";
  const server = await scene(t, TOKEN, { advertise });
  const from = async (headers: Record<string, string>) =>
    (await enter(server, { token: TOKEN }, headers)).headers.get("set-cookie") ?? "";
  assert.match(await from({ host: "parley.example", origin: advertise }), /; Secure$/);
  assert.match(await from({ host: "parley.example" }), /; Secure$/);
  assert.doesNotMatch(await from({ origin: `http://127.0.0.1:${portOf(server)}` }), /Secure/);
  assert.doesNotMatch(await from({}), /Secure/);
  const { url } = await createClient({ url: server.parley.url, token: TOKEN }).consoleLink();
  assert.match(url, /^https:\/\/parley\.example\/console\/#enter=/);
});

test("without a token there is no login: the link holds no code, and everybody is in", async (t) => {
  const server = await scene(t, null);
  const link = await createClient({ url: server.parley.url }).consoleLink();
  assert.deepEqual(link, { url: `${server.parley.url}/console/`, others: [], expires: null });
  const { status, headers } = await enter(server, { token: "any" });
  assert.deepEqual([status, headers.get("set-cookie")], [204, undefined]);
  assert.equal(await statusWith(server, ""), 200);
});

test("the log says who was let in, and holds no code, no cookie and no token", async (t) => {
  const server = await scene(t);
  const { code } = await linkOf(server);
  const { headers } = await enter(server, { code });
  const cookie = (headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  await statusWith(server, cookie);
  await enter(server, { code });
  await enter(server, { token: "wrong-token-0123456789" });
  await request(portOf(server), `POST /console/login?auth_token=${TOKEN}`, JSON_BODY, "{");
  const text = JSON.stringify(server.lines);
  assert.match(text, /a browser was let in to the console/);
  assert.match(text, /a browser was not let in/);
  for (const secret of [code, cookie.split("=")[1] ?? "", TOKEN, "wrong-token-0123456789"])
    assert.ok(!text.includes(secret));
});
