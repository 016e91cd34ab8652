import assert from "node:assert/strict";
import { test } from "node:test";
import { redactText, withoutToken } from "../../src/server/logging/redact.ts";

const TARGETS: [string, string][] = [
  ["/", "/"],
  ["/a?x=1", "/a?x=1"],
  ["/a?auth_token=s", "/a"],
  ["/a?x=1&auth_token=s&y=2", "/a?x=1&y=2"],
  ["/a?AUTH_TOKEN=s", "/a"],
  ["/a?auth%5Ftoken=s&x", "/a?x"],
  ["/a?auth_token=s&auth_token=t", "/a"],
  ["/a?auth_token", "/a"],
  ["/a?xauth_token=1", "/a?xauth_token=1"],
  ["/a?%zz=1", "/a?%zz=1"],
  ["/a?x=%20b+c", "/a?x=%20b+c"],
];
test("a target loses its token and nothing else", () => {
  for (const [target, expected] of TARGETS) assert.equal(withoutToken(target), expected);
});

const SECRET = "S3cret-token-value";
const LINES: [string, string][] = [
  [`at ${SECRET}!`, "at [hidden]!"],
  ["GET /a?auth_token=abc&x=1 done", "GET /a?auth_token=[hidden]&x=1 done"],
  ["GET /a?auth%5ftoken=abc", "GET /a?auth%5ftoken=[hidden]"],
  ["GET /pty/pty_1/connect?cursor=0&ticket=8a901851-2729 done", "GET /pty/pty_1/connect?cursor=0&ticket=[hidden] done"],
  ["GET /a?myticket=1", "GET /a?myticket=1"],
  ['{"authorization":"Bearer abcdefgh.ijk"}', '{"authorization":"Bearer [hidden]"}'],
  ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [hidden]"],
  ["cookie: a=b; parley_token=abc; c=d", "cookie: a=b; parley_token=[hidden]; c=d"],
  ["set-cookie: parley_console_0a1b2c3d=v1.1.abc.def; Path=/", "set-cookie: parley_console_0a1b2c3d=[hidden]; Path=/"],
  ["open http://127.0.0.1:7420/console/#enter=abcDEF-_ now", "open http://127.0.0.1:7420/console/#enter=[hidden] now"],
  ["a basic idea", "a basic idea"],
];
test("a line loses every secret and nothing else", () => {
  for (const [line, expected] of LINES) assert.equal(redactText(line, [SECRET, ""]), expected);
});
