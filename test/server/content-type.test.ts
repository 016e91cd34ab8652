import assert from "node:assert/strict";
import { test } from "node:test";
import { type BodyHeaders, checkContentType } from "../../src/server/guards/content-type.ts";

const body = { "content-length": "2" };
const ROWS: [string, BodyHeaders, boolean][] = [
  ["POST", { "content-type": "application/json", ...body }, true],
  ["POST", { "content-type": "Application/JSON; charset=UTF-8", ...body }, true],
  ["PATCH", { "content-type": 'application/json;charset="utf-8"', ...body }, true],
  ["PUT", { "content-type": "application/merge-patch+json", ...body }, true],
  ["POST", { "content-type": "application/json", "transfer-encoding": "chunked" }, true],
  ["POST", {}, true],
  ["POST", { "content-length": "0" }, true],
  ["DELETE", {}, true],
  ["GET", { "content-type": "text/plain" }, true],
  ["HEAD", {}, true],
  ["POST", { ...body }, false],
  ["POST", { "transfer-encoding": "chunked" }, false],
  ["POST", { "content-type": "", ...body }, false],
  ["POST", { "content-type": "text/plain", ...body }, false],
  ["POST", { "content-type": "text/plain" }, false],
  ["POST", { "content-type": "text/plain; application/json", ...body }, false],
  ["POST", { "content-type": "application/x-www-form-urlencoded", ...body }, false],
  ["POST", { "content-type": "application/x-www-form-urlencoded", "content-length": "0" }, false],
  ["POST", { "content-type": "multipart/form-data; boundary=json", ...body }, false],
  ["POST", { "content-type": "application/jsonp", ...body }, false],
  ["POST", { "content-type": "application/json, text/plain", ...body }, false],
  ["POST", { "content-type": "application/json; charset=utf-16", ...body }, false],
  ["DELETE", { "content-type": "text/plain", ...body }, false],
  ["DELETE", { ...body }, false],
  ["PUT", { "content-type": "text/json", ...body }, false],
  ["BREW", { "content-type": "text/plain", ...body }, false],
];

test("a write says that it is JSON", () => {
  for (const [method, headers, pass] of ROWS) {
    const error = checkContentType(method, headers);
    assert.equal(error === undefined, pass, `${method} ${JSON.stringify(headers)}`);
    if (error) assert.equal(error.status, 415);
  }
});
