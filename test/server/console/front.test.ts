import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { asksForPage } from "../../../src/server/console/paths.ts";
import { mountAll, request, startServer, TOKEN } from "../helpers.ts";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", authorization: "" };
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

describe("a browser at /", () => {
  for (const [method, url, accept, expected] of ASKS) {
    test(`${method} ${url} with ${accept ?? "no Accept"} is ${expected ? "" : "not "}a browser's`, () => {
      assert.equal(asksForPage({ method, url, headers: { accept } }), expected);
    });
  }

  test("a browser is led to the console without a token and without being asked for one", async () => {
    await using server = await startServer({ console: true, mounts: [surface] });
    for (const line of ["GET /", "HEAD /", `GET /?auth_token=${TOKEN}`]) {
      const { status, headers, text, body } = await request(server.port, line, BROWSER);
      assert.deepEqual([status, headers.get("location"), body], [302, "/console/", ""]);
      assert.equal(headers.get("www-authenticate"), undefined);
      assert.match(headers.get("vary") ?? "", /\bAccept\b/);
      assert.doesNotMatch(text, new RegExp(TOKEN));
    }
  });

  test("a program is answered as before: by the surface with the token, by a refusal without", async () => {
    await using server = await startServer({ console: true, mounts: [surface] });
    assert.equal((await request(server.port, "GET /", { accept: "*/*" })).status, 418);
    assert.equal((await request(server.port, "GET /", { accept: "*/*", authorization: "" })).status, 401);
  });

  test("where there is no console, / is the surface's own, with the token", async () => {
    await using server = await startServer({ mounts: [surface] });
    assert.equal((await request(server.port, "GET /", { accept: "text/html" })).status, 418);
    assert.equal((await request(server.port, "GET /", BROWSER)).status, 401);
    assert.equal((await request(server.port, "GET /console/", BROWSER)).status, 401);
  });

  test("a foreign name and a foreign page are not led there", async () => {
    await using server = await startServer({ console: true, mounts: [surface] });
    const rebound = await request(server.port, "GET /", { ...BROWSER, host: "evil.example" });
    assert.equal(rebound.status, 421);
    const framed = { ...BROWSER, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    assert.equal((await request(server.port, "GET /", framed)).status, 403);
  });
});
