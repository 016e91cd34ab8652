import assert from "node:assert/strict";
import { test } from "node:test";
import { globMatcher } from "../../../src/agents/house/tools/glob-match.ts";
import { cpuMs } from "../../support/time.ts";

const cases: [pattern: string, path: string, matches: boolean][] = [
  ["*.ts", "a.ts", true],
  ["*.ts", "src/deep/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/deep/a.ts", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/very/deep/a.ts", true],
  ["src/**", "src/very/deep/a.ts", true],
  ["**/test/**", "a/test/b", true],
  ["**/test/**", "a/tests/b", false],
  ["./src/*.ts", "src/a.ts", true],
  ["/src/*.ts", "src/a.ts", true],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["*.{ts,js}", "x/a.js", true],
  ["*.{ts,js}", "x/a.md", false],
  ["{a,b}/{c,d}.md", "b/c.md", true],
  ["a.b", "aXb", false],
  ["a$b", "a$b", true],
  ["*", ".hidden", true],
  ["a*b*c", "aXbYc", true],
  ["a*b*c", "aXcYb", false],
];

for (const [pattern, path, matches] of cases) {
  test(`${pattern} ${matches ? "matches" : "does not match"} ${path}`, () =>
    assert.equal(globMatcher(pattern)(path), matches));
}

test("no pattern takes long", () => {
  const spent = cpuMs(() => {
    assert.equal(globMatcher(`${"*a".repeat(30)}*b`)("a".repeat(250)), false);
    assert.equal(globMatcher(`${"**/".repeat(20)}x`)(Array(100).fill("a").join("/")), false);
  });
  assert.ok(spent < 1_000, `${spent} ms of work`);
});

test("a pattern with too many alternatives is refused", () => {
  assert.throws(() => globMatcher("{a,b}".repeat(10)), /more than 64/);
});
