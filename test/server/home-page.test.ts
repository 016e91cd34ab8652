import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asksForHome } from "../../src/server/http/home-page.ts";
import { mountAll, request, startServer, TOKEN } from "./helpers.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", authorization: "" };
const home = { version: "1.2.3" };
const surface = mountAll((_, response) => void response.writeHead(418).end("the surface"));

const ASKS: [method: string, url: string, accept: string | undefined, expected: boolean][] = [
  ["GET", "/", BROWSER.accept, true],
  ["HEAD", "/", "text/html", true],
  ["GET", "/?auth_token=x", "text/html", true],
  ["GET", "/", "TEXT/HTML ; charset=utf-8", true],
  ["GET", "/", "text/html;q=0.1", true],
  ["GET", "/", "text/html;q=0", false],
  ["GET", "/", "text/html; q=0.0", false],
  ["GET", "/", "*/*", false],
  ["GET", "/", "application/json", false],
  ["GET", "/", undefined, false],
  ["GET", "/", "text/htmlx", false],
  ["POST", "/", "text/html", false],
  ["GET", "//", "text/html", false],
  ["GET", "/v1/sessions", "text/html", false],
];

describe("the page at /", () => {
  for (const [method, url, accept, expected] of ASKS) {
    test(`${method} ${url} with ${accept ?? "no Accept"} is ${expected ? "" : "not "}a browser's`, () => {
      assert.equal(asksForHome({ method, url, headers: { accept } }), expected);
    });
  }

  test("a browser gets it without a token and without being asked for one", async () => {
    await using server = await startServer({ home, mounts: [surface] });
    const { status, headers, body } = await request(server.port, "GET /", BROWSER);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("www-authenticate"), undefined);
    assert.match(headers.get("vary") ?? "", /\bAccept\b/);
    assert.match(body, /<h1>Parley 1\.2\.3<\/h1>/);
    assert.match(body, new RegExp(`opencode attach http://127\\.0\\.0\\.1:${server.port}<`));
  });

  test("it holds no script, no token and nothing from elsewhere, and its policy allows none", async () => {
    await using server = await startServer({ home, mounts: [surface] });
    const { headers, text, body } = await request(server.port, `GET /?auth_token=${TOKEN}`, { accept: "text/html" });
    assert.doesNotMatch(text, new RegExp(TOKEN));
    assert.doesNotMatch(body, /<script|javascript:| on\w+=|<form|<iframe/i);
    const links = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = ""]) => link);
    assert.deepEqual(links, ["data:,", "/openapi.json", "/health", "/ready"]);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
  });

  test("HEAD has the head alone", async () => {
    await using server = await startServer({ home, mounts: [surface] });
    const { status, headers, body } = await request(server.port, "HEAD /", BROWSER);
    assert.deepEqual([status, body], [200, ""]);
    assert.ok(Number(headers.get("content-length")) > 500);
  });

  test("a program is answered as before: by the surface with the token, by a refusal without", async () => {
    await using server = await startServer({ home, mounts: [surface] });
    assert.equal((await request(server.port, "GET /", { accept: "*/*" })).status, 418);
    assert.equal((await request(server.port, "GET /", { accept: "*/*", authorization: "" })).status, 401);
  });

  test("where a surface has a page of its own, / is its own, with the token", async () => {
    await using server = await startServer({ mounts: [surface] });
    assert.equal((await request(server.port, "GET /", { accept: "text/html" })).status, 418);
    assert.equal((await request(server.port, "GET /", BROWSER)).status, 401);
  });

  test("a foreign name and a foreign page do not get it", async () => {
    await using server = await startServer({ home, mounts: [surface] });
    const rebound = await request(server.port, "GET /", { ...BROWSER, host: "evil.example" });
    assert.equal(rebound.status, 421);
    const framed = { ...BROWSER, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    assert.equal((await request(server.port, "GET /", framed)).status, 403);
  });

  test("it names the advertised address", async () => {
    const advertise = "https://parley.example";
    await using server = await startServer({ home: { ...home, advertise }, advertise, mounts: [surface] });
    assert.match((await request(server.port, "GET /", BROWSER)).body, /opencode attach https:\/\/parley\.example</);
  });
});
