import assert from "node:assert/strict";
import { test } from "node:test";
import { isHop, passedHeaders, placeOfTarget } from "../../src/server/cluster/hop.ts";

test("a request is passed on without the client's credentials and without headers of its connection", () => {
  const headers = {
    host: "a:1",
    connection: "keep-alive",
    authorization: "Bearer x",
    cookie: "parley=x",
    origin: "http://a",
    "sec-fetch-site": "same-origin",
    "x-parley-node": "forged",
    "content-length": "3",
    "content-type": "application/json",
    "x-parley-client": "me",
    "idempotency-key": "k",
  };
  assert.deepEqual(passedHeaders(headers, "secret", "req_1", Buffer.from("four")), {
    "content-type": "application/json",
    "x-parley-client": "me",
    "idempotency-key": "k",
    "x-parley-node": "secret",
    "x-request-id": "req_1",
    "content-length": "4",
  });
});

test("only the nodes' secret shows a node", () => {
  const shown = isHop("secret");
  assert.deepEqual(["secret", "secre", "secrets", ""].map(shown), [true, false, false, false]);
});

const targets: [string, { place: string; target: string } | undefined][] = [
  ["/at/web-1/event?x=1", { place: "web-1", target: "/event?x=1" }],
  ["/at/web-1", { place: "web-1", target: "/" }],
  ["/at/web-1?x", { place: "web-1", target: "/?x" }],
  ["/at/../event", { place: "..", target: "/event" }],
  ["/at/", undefined],
  ["/attach", undefined],
  ["/v1/at/x/y", undefined],
];
for (const [target, expected] of targets)
  test(`the place in the path ${target}`, () => assert.deepEqual(placeOfTarget(target), expected));
