import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { generateToken, loadToken, tokenPath } from "../../src/server/guards/token.ts";

const root = mkdtempSync(join(tmpdir(), "parley-token-"));
after(() => rmSync(root, { recursive: true }));

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test("a token is made once, kept private and used again", () => {
  const data = join(root, "deep", "data");
  const token = loadToken(data);
  assert.match(token, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(mode(tokenPath(data)), "600");
  assert.equal(mode(data), "700");
  assert.equal(loadToken(data), token);
  assert.deepEqual(readdirSync(data), ["token"], "nothing is left beside it");
  assert.notEqual(generateToken(), generateToken());
});

test("a given token is used and never written", () => {
  const data = join(root, "given");
  assert.equal(loadToken(data, "a-token-of-my-own-choice"), "a-token-of-my-own-choice");
  assert.ok(!existsSync(data));
});

for (const wrong of [
  "",
  "short",
  "with a space in the middle",
  "line\nfeed-line-feed-line",
  "ünïcödé-ünïcödé-ünïcödé",
]) {
  test(`${JSON.stringify(wrong)} is refused as a token`, () => {
    assert.throws(() => loadToken(join(root, "wrong"), wrong), /at least 16 printable characters/);
  });
}

test("a token file that others can read is closed", () => {
  const data = join(root, "open");
  const token = loadToken(data);
  chmodSync(tokenPath(data), 0o644);
  assert.equal(loadToken(data), token);
  assert.equal(mode(tokenPath(data)), "600");
});

test("an empty token file is replaced, a broken one is named", () => {
  const data = join(root, "empty");
  loadToken(data);
  writeFileSync(tokenPath(data), "\n");
  const token = loadToken(data);
  assert.equal(readFileSync(tokenPath(data), "utf8"), `${token}\n`);
  assert.equal(mode(tokenPath(data)), "600");
  writeFileSync(tokenPath(data), "abc");
  assert.throws(
    () => loadToken(data),
    (thrown: Error) => thrown.message.includes(tokenPath(data)),
  );
});
