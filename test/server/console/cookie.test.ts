import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { describe, test } from "node:test";
import { CODE_MS, ConsoleCodes } from "../../../src/server/console/codes.ts";
import { Authenticator } from "../../../src/server/guards/auth.ts";
import { ConsoleCookies } from "../../../src/server/guards/console-cookie.ts";
import { FailureTable } from "../../../src/server/guards/failure-table.ts";
import { TOKEN } from "../helpers.ts";

const DAY = 24 * 60 * 60 * 1000;
const START = 1_800_000_000_000;
const pairOf = (header: string): string => header.split(";", 1)[0] ?? "";

describe("the cookie of the console", () => {
  test("is good for thirty days, for servers with the same token, and goes to no script and no other site", () => {
    let now = START;
    const clock = () => now;
    const header = new ConsoleCookies(TOKEN, clock).set(false);
    assert.match(
      header,
      /^parley_console_[0-9a-f]{8}=v1\.\d+\.[\w-]{22}\.[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    assert.match(new ConsoleCookies(TOKEN, clock).set(true), /; Secure$/);
    const restarted = new ConsoleCookies(TOKEN, clock);
    assert.equal(restarted.check(pairOf(header)), "good");
    assert.equal(restarted.check(`a=b; ${pairOf(header)}; c=d`), "good");
    now = START + 30 * DAY - 1_000;
    assert.equal(restarted.check(pairOf(header)), "good");
    now = START + 30 * DAY;
    assert.equal(restarted.check(pairOf(header)), "expired");
  });

  test("says nothing of the token, and no two are alike", () => {
    const cookies = new ConsoleCookies(TOKEN);
    assert.notEqual(cookies.set(false), cookies.set(false));
    assert.ok(!cookies.set(false).includes(TOKEN.slice(0, 8)));
  });

  test("of another token is not even looked at: it has another name", () => {
    const other = new ConsoleCookies(`${TOKEN}-older`);
    const own = new ConsoleCookies(TOKEN);
    assert.equal(own.check(pairOf(other.set(false))), "none");
    assert.equal(own.check(`${pairOf(other.set(false))}; ${pairOf(own.set(false))}`), "good");
    const renamed = pairOf(other.set(false)).replace(/^[^=]+/, pairOf(own.set(false)).split("=")[0] ?? "");
    assert.equal(own.check(renamed), "wrong");
  });

  test("is wrong with any change to it", () => {
    const cookies = new ConsoleCookies(TOKEN, () => START);
    const good = pairOf(cookies.set(false));
    const [name = "", value = ""] = good.split("=");
    const [version, expiry, nonce = "", mark = ""] = value.split(".");
    const changed = [
      `${version}.${Number(expiry) + 1}.${nonce}.${mark}`,
      `${version}.9${expiry}.${nonce}.${mark}`,
      `v2.${expiry}.${nonce}.${mark}`,
      `${version}.${expiry}.${"A".repeat(22)}.${mark}`,
      `${version}.${expiry}.${nonce}.${"A".repeat(43)}`,
      `${version}.${expiry}.${nonce}.`,
      `${version}.${expiry}.${nonce}`,
      `${value}.`,
      `${value}A`,
      "",
      "...",
      TOKEN,
      "v1.99999999999..",
    ];
    for (const one of changed) assert.equal(cookies.check(`${name}=${one}`), "wrong", one);
    assert.equal(cookies.check(good), "good");
    assert.equal(cookies.check(`${name}=old; ${good}`), "good", "a stale one beside it shuts nobody out");
  });

  test("each is compared once, in constant time, whatever it looks like", (t) => {
    const cookies = new ConsoleCookies(TOKEN);
    const good = pairOf(cookies.set(false));
    const { mock } = t.mock.method(crypto, "timingSafeEqual");
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const shown = [good, `${good}A`, good.replace(/\..*/, ""), `${good.slice(0, -1)}!`];
    for (const one of shown) cookies.check(one);
    const lengths = mock.calls.map(({ arguments: compared }) => compared.map(({ byteLength }) => byteLength));
    assert.deepEqual(
      lengths,
      shown.map(() => [32, 32]),
    );
  });
});

describe("the cookie at the door", () => {
  const cookie = pairOf(new ConsoleCookies(TOKEN).set(false));

  for (const [site, ok] of [
    [undefined, true],
    ["same-origin", true],
    ["none", true],
    ["same-site", false],
    ["cross-site", false],
  ] as const)
    test(`with Sec-Fetch-Site ${site ?? "not said"} it ${ok ? "counts" : "does not count"}`, () => {
      const failures = new FailureTable();
      assert.equal(new Authenticator(TOKEN, failures).check({ url: "/", cookie, site }, "10.0.0.1", 0).ok, ok);
      assert.equal(failures.size, 0);
    });

  test("a forged one counts as a guess, an expired one or one of another server does not", () => {
    const failures = new FailureTable();
    const auth = new Authenticator(TOKEN, failures);
    const old = pairOf(new ConsoleCookies(TOKEN, () => START - 400 * DAY).set(false));
    const foreign = pairOf(new ConsoleCookies("another-token-0123456789").set(false));
    for (const one of [old, foreign]) assert.ok(!auth.check({ url: "/", cookie: one }, "10.0.0.1", 0).ok);
    assert.equal(failures.size, 0);
    assert.ok(!auth.check({ url: "/", cookie: `${cookie.slice(0, -2)}AA` }, "10.0.0.1", 0).ok);
    assert.equal(failures.size, 1);
  });

  test("an address that guessed too often is not heard, so that it spends no code; this machine is", () => {
    const auth = new Authenticator(TOKEN);
    const wrong = { right: false, guess: true, why: "" };
    for (const remote of ["10.0.0.1", "127.0.0.1"]) for (let i = 0; i < 20; i++) auth.settle(wrong, remote, i);
    assert.deepEqual(
      [auth.hears("10.0.0.1", 20), auth.hears("10.0.0.2", 20), auth.hears("::1", 20)],
      [false, true, true],
    );
    assert.equal(auth.hears("127.0.0.1", 20), true);
    assert.equal(auth.hears("10.0.0.1", 60_001), true);
  });

  test("a page of ours is not answered with the browser's own dialog", () => {
    const challenge = (client: string | undefined) => {
      const verdict = new Authenticator(TOKEN).check({ url: "/", client }, "10.0.0.1", 0);
      assert.ok(!verdict.ok);
      return String(verdict.headers["www-authenticate"]);
    };
    assert.match(challenge(undefined), /Basic/);
    assert.doesNotMatch(challenge("console"), /Basic/);
  });
});

describe("the codes of links", () => {
  test("each is good once, within five minutes, and says afterwards why it is not", () => {
    let now = 0;
    const codes = new ConsoleCodes(
      () => "",
      () => now,
    );
    const [first, second] = [codes.make(), codes.make()];
    assert.notEqual(first, second);
    assert.match(first, /^[\w-]{32}$/);
    assert.deepEqual([codes.take(first), codes.take(first), codes.take("guess")], ["good", "used", "unknown"]);
    now = CODE_MS - 1;
    assert.equal(codes.take(codes.make()), "good");
    now = CODE_MS;
    assert.deepEqual([codes.take(second), codes.take(first)], ["expired", "used"]);
    assert.equal(new ConsoleCodes().take(first), "unknown", "another process knows none of them");
  });

  test("they do not grow without end", () => {
    const codes = new ConsoleCodes();
    const first = codes.make();
    for (let i = 0; i < 1_000; i++) codes.make();
    assert.equal(codes.take(first), "unknown");
  });
});
