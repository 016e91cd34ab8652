import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { advertisedOrigin, isExposed } from "../../src/server/guards/advertised.ts";
import { refuseBind } from "../../src/server/guards/bind-guard.ts";
import { mountAll, request, startServer } from "./helpers.ts";

const READ: [text: string, origin: string | undefined][] = [
  ["https://parley.example", "https://parley.example"],
  ["https://Parley.Example/", "https://parley.example"],
  ["https://parley.example:443", "https://parley.example"],
  ["http://parley.example:8080", "http://parley.example:8080"],
  [" https://parley.example ", "https://parley.example"],
  ["http://192.168.1.5:7420", "http://192.168.1.5:7420"],
  ["https://[2001:db8::1]:7420", "https://[2001:db8::1]:7420"],
  ["http://localhost:9000", "http://localhost:9000"],
  ["parley.example", undefined],
  ["//parley.example", undefined],
  ["ftp://parley.example", undefined],
  ["javascript:alert(1)", undefined],
  ["https://parley.example/prefix", undefined],
  ["https://parley.example/?a", undefined],
  ["https://parley.example?", undefined],
  ["https://parley.example#a", undefined],
  ["https://user:secret@parley.example", undefined],
  ["https://0.0.0.0:7420", undefined],
  ["https://[::]:7420", undefined],
  ["https://parley.example:0", undefined],
  ["https://a b.example", undefined],
  ["https://", undefined],
  ["", undefined],
];

const EXPOSED: [bind: string, advertise: string | undefined, expected: boolean][] = [
  ["127.0.0.1", undefined, false],
  ["127.0.0.1", "http://localhost:9000", false],
  ["127.0.0.1", "http://[::1]:9000", false],
  ["127.0.0.1", "https://parley.example", true],
  ["0.0.0.0", undefined, true],
  ["0.0.0.0", "http://localhost:9000", true],
];

const PROXIED = "https://parley.example";
const surface = mountAll((_, response) => void response.writeHead(200).end("in"));

describe("the advertised address", () => {
  for (const [text, origin] of READ) {
    test(`"${text}" is ${origin ?? "refused"}`, () => assert.equal(advertisedOrigin(text), origin));
  }

  for (const [bind, advertise, expected] of EXPOSED) {
    test(`${bind}${advertise ? ` as ${advertise}` : ""} is ${expected ? "" : "not "}reached by others`, () => {
      assert.equal(isExposed(bind, advertise), expected);
    });
  }

  test("without a token only this machine may be told of", () => {
    assert.match(refuseBind("127.0.0.1", false, PROXIED) ?? "", /reached as https:\/\/parley\.example without a token/);
    assert.equal(refuseBind("127.0.0.1", true, PROXIED), undefined);
    assert.equal(refuseBind("127.0.0.1", false, "http://localhost:9000"), undefined);
    assert.match(refuseBind("0.0.0.0", false, "http://localhost:9000") ?? "", /refusing to listen on 0\.0\.0\.0/);
  });

  test("a listener that is given a bad one does not start", async () => {
    await assert.rejects(startServer({ advertise: "parley.example" }), {
      code: "invalid",
      message: /expected an http or https address without a path, .* got "parley\.example"/,
    });
  });

  test("clients may call the server by it, and others by no other name", async () => {
    await using server = await startServer({ advertise: PROXIED, mounts: [surface] });
    assert.equal((await request(server.port, "GET /x", { host: "parley.example" })).status, 200);
    assert.equal((await request(server.port, "GET /x", { host: "parley.example:8443" })).status, 200);
    assert.equal((await request(server.port, "GET /x")).status, 200);
    assert.equal((await request(server.port, "GET /x", { host: "other.example" })).status, 421);
  });

  test("its pages may call the server, also where the proxy changes the Host header", async () => {
    await using server = await startServer({ advertise: PROXIED, mounts: [surface] });
    for (const host of ["parley.example", `127.0.0.1:${server.port}`]) {
      const status = async (origin: string) => (await request(server.port, "GET /x", { host, origin })).status;
      assert.equal(await status(PROXIED), 200);
      assert.equal(await status("https://other.example"), 403);
      assert.equal(await status("http://parley.example:81"), 403);
    }
  });

  test("the numbers need the token there, because the proxy may call the server localhost", async () => {
    await using open = await startServer({});
    assert.equal((await request(open.port, "GET /metrics", { authorization: "" })).status, 200);
    await using server = await startServer({ advertise: PROXIED });
    assert.equal((await request(server.port, "GET /metrics", { authorization: "" })).status, 401);
    assert.equal((await request(server.port, "GET /metrics")).status, 200);
  });
});
