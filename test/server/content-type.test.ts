import assert from "node:assert/strict";
import { test } from "node:test";
import { type BodyHead, checkContentType } from "../../src/server/guards/content-type.ts";

const body = { contentLength: "2" };
const ROWS: [BodyHead, boolean][] = [
  [{ method: "POST", contentType: "application/json", ...body }, true],
  [{ method: "POST", contentType: "Application/JSON; charset=UTF-8", ...body }, true],
  [{ method: "PATCH", contentType: 'application/json;charset="utf-8"', ...body }, true],
  [{ method: "PUT", contentType: "application/merge-patch+json", ...body }, true],
  [{ method: "POST", contentType: "application/json", transferEncoding: "chunked" }, true],
  [{ method: "POST" }, true],
  [{ method: "POST", contentLength: "0" }, true],
  [{ method: "DELETE" }, true],
  [{ method: "GET", contentType: "text/plain" }, true],
  [{ method: "HEAD" }, true],
  [{ method: "POST", ...body }, false],
  [{ method: "POST", transferEncoding: "chunked" }, false],
  [{ method: "POST", contentType: "", ...body }, false],
  [{ method: "POST", contentType: "text/plain", ...body }, false],
  [{ method: "POST", contentType: "text/plain" }, false],
  [{ method: "POST", contentType: "text/plain; application/json", ...body }, false],
  [{ method: "POST", contentType: "application/x-www-form-urlencoded", ...body }, false],
  [{ method: "POST", contentType: "application/x-www-form-urlencoded", contentLength: "0" }, false],
  [{ method: "POST", contentType: "multipart/form-data; boundary=json", ...body }, false],
  [{ method: "POST", contentType: "application/jsonp", ...body }, false],
  [{ method: "POST", contentType: "application/json, text/plain", ...body }, false],
  [{ method: "POST", contentType: "application/json; charset=utf-16", ...body }, false],
  [{ method: "DELETE", contentType: "text/plain", ...body }, false],
  [{ method: "DELETE", ...body }, false],
  [{ method: "PUT", contentType: "text/json", ...body }, false],
  [{ method: "BREW", contentType: "text/plain", ...body }, false],
];

test("a write says that it is JSON", () => {
  for (const [head, pass] of ROWS) {
    const error = checkContentType(head);
    assert.equal(error === undefined, pass, JSON.stringify(head));
    if (error) assert.equal(error.status, 415);
  }
});
