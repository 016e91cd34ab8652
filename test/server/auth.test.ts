import assert from "node:assert/strict";
import { test } from "node:test";
import { Authenticator, candidates, judge, tokenVerifier } from "../../src/server/guards/auth.ts";
import { FAILURE_LIMITS, FailureTable } from "../../src/server/guards/failure-table.ts";
import { TOKEN } from "./helpers.ts";

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

const SHOWN: [string, { authorization?: string; cookie?: string; url?: string }, string[]][] = [
  ["nothing", {}, []],
  ["Bearer", { authorization: `Bearer ${TOKEN}` }, [TOKEN]],
  ["bearer in any case, with spaces", { authorization: `bEARER   ${TOKEN} ` }, [TOKEN]],
  ["Basic with any user", { authorization: basic("anybody", TOKEN) }, [TOKEN]],
  ["Basic without a user", { authorization: basic("", TOKEN) }, [TOKEN]],
  ["a password with a colon", { authorization: basic("u", "a:b") }, ["a:b"]],
  ["Basic without a colon", { authorization: `Basic ${Buffer.from(TOKEN).toString("base64")}` }, []],
  ["another scheme", { authorization: `Digest ${TOKEN}` }, []],
  ["a bare header", { authorization: TOKEN }, []],
  ["the query", { url: `/a?x=1&auth_token=${TOKEN}&y=2` }, [TOKEN]],
  ["the query, escaped", { url: "/a?auth%5Ftoken=a%2Bb" }, ["a+b"]],
  [
    "the query as OpenCode's clients write it",
    { url: `/a?auth_token=${encodeURIComponent(Buffer.from(`opencode:${TOKEN}`).toString("base64"))}` },
    [Buffer.from(`opencode:${TOKEN}`).toString("base64"), TOKEN],
  ],
  ["a broken escape", { url: "/a?auth_token=%zz" }, ["%zz"]],
  ["a path that looks like a query", { url: `/auth_token=${TOKEN}` }, []],
  ["the cookie", { cookie: `a=b; parley_token=${TOKEN}; c=d` }, [TOKEN]],
  ["a cookie of another name", { cookie: `xparley_token=${TOKEN}` }, []],
  [
    "a stale cookie beside the header",
    { authorization: `Bearer ${TOKEN}`, cookie: "parley_token=old" },
    [TOKEN, "old"],
  ],
];
for (const [name, head, expected] of SHOWN) {
  test(`tokens shown by ${name}`, () => assert.deepEqual(candidates({ url: "/", ...head }), expected));
}

test("only the token itself is the token", () => {
  const verify = tokenVerifier(TOKEN);
  assert.ok(verify(TOKEN));
  const wrong = [
    "",
    TOKEN.slice(0, -1),
    `${TOKEN}x`,
    TOKEN.toUpperCase(),
    `x${TOKEN.slice(1)}`,
    ` ${TOKEN}`,
    `${TOKEN}\0`,
  ];
  for (const text of wrong) assert.ok(!verify(text), JSON.stringify(text));
});

test("a blocked address is refused even with the right token, but for loopback", () => {
  const rows: [boolean, number, string, ReturnType<typeof judge>][] = [
    [true, 0, "10.0.0.1", "pass"],
    [true, 0, "127.0.0.1", "pass"],
    [true, 5, "10.0.0.1", "too_many_failures"],
    [true, 5, "127.0.0.1", "pass"],
    [true, 5, "::ffff:127.0.0.1", "pass"],
    [true, 5, "::1", "pass"],
    [false, 0, "10.0.0.1", "unauthorized"],
    [false, 5, "10.0.0.1", "too_many_failures"],
    [false, 5, "::1", "too_many_failures"],
  ];
  for (const [right, blockedMs, remote, verdict] of rows) {
    assert.equal(judge({ right, blockedMs, remote }), verdict, `${right} ${blockedMs} ${remote}`);
  }
});

test("20 wrong tokens in a minute block an address until the minute is over", () => {
  const auth = new Authenticator(TOKEN);
  const check = (token: string, remote: string, now: number) =>
    auth.check({ authorization: `Bearer ${token}`, url: "/" }, remote, now);
  for (let i = 0; i < 20; i++) {
    const verdict = check(`wrong-${i}`, "10.0.0.1", 1_000 + i);
    assert.ok(!verdict.ok);
    assert.equal(verdict.error.status, 401);
    assert.match(String(verdict.headers["www-authenticate"]), /Basic realm="parley".*Bearer/);
  }
  const blocked = check(TOKEN, "10.0.0.1", 31_000);
  assert.ok(!blocked.ok);
  assert.equal(blocked.error.status, 429);
  assert.equal(blocked.headers["retry-after"], "30");
  assert.ok(check(TOKEN, "10.0.0.2", 31_000).ok, "another address is not blocked");
  assert.ok(check(TOKEN, "10.0.0.1", 61_001).ok, "the minute is over");
});

test("a request without a token is no guess", () => {
  const failures = new FailureTable();
  const auth = new Authenticator(TOKEN, failures);
  for (let i = 0; i < 100; i++) {
    const verdict = auth.check({ url: "/" }, "10.0.0.1", i);
    assert.ok(!verdict.ok && verdict.error.code === "unauthorized");
  }
  assert.equal(failures.size, 0);
});

test("the table of failures does not grow without end, and forgets the oldest first", () => {
  const failures = new FailureTable({ ...FAILURE_LIMITS, addresses: 100 });
  for (let i = 0; i < 20; i++) failures.fail("10.9.9.9", 0);
  for (let i = 0; i < 99; i++) failures.fail(`10.0.0.${i}`, 1);
  assert.ok(failures.blockedFor("10.9.9.9", 2) > 0);
  for (let i = 0; i < 5_000; i++) failures.fail(`10.1.${i >> 8}.${i & 255}`, 2);
  assert.equal(failures.size, 100);
  assert.equal(failures.blockedFor("10.9.9.9", 2), 0);
  failures.fail("10.2.0.1", FAILURE_LIMITS.windowMs + 10);
  assert.equal(failures.size, 1);
});

test("the IPv6 addresses of one network count together", () => {
  const failures = new FailureTable();
  for (let i = 0; i < 20; i++) failures.fail(`2001:db8:1:2::${i.toString(16)}`, 0);
  assert.ok(failures.blockedFor("2001:db8:1:2:ffff::1", 1) > 0);
  assert.equal(failures.blockedFor("2001:db8:1:3::1", 1), 0);
  assert.equal(failures.blockedFor("::1", 1), 0);
});
