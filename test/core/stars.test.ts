import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { fitsStars, type SignFits } from "../../src/core/stars.ts";
import { seedOf } from "../support/random.ts";

const oneSign: SignFits = (sign, char) => sign === "?" || sign === char;

describe("patterns with stars", () => {
  for (const [pattern, text, fits] of [
    ["", "", true],
    ["", "x", false],
    ["*", "", true],
    ["**", "", true],
    ["*", "anything\nat all", true],
    ["git status", "git status", true],
    ["git status", "git status -s", false],
    ["git *", "git push --force", true],
    ["git *", "git", false],
    ["git *", "gitk", false],
    ["*.ts", "a.ts", true],
    ["*.ts", ".ts", true],
    ["*.ts", "a.tsx", false],
    ["src/*.ts", "src/a/b.ts", true],
    ["src/*.ts", "src/a.tsx", false],
    ["a*b*c", "a1b2c", true],
    ["a*b*c", "a1b2b3c", true],
    ["a*b*c", "ac", false],
    ["ab*ba", "aba", false],
    ["a**b", "a-b", true],
    ["a*", "a*", true],
    ["rm [a-z]", "rm x", false],
    ["?s", "ls", false],
    ["?s", "?s", true],
    ["a\0*", "a\0b", true],
  ] as const) {
    test(`${JSON.stringify(pattern)} ${fits ? "fits" : "does not fit"} ${JSON.stringify(text)}`, () => {
      assert.equal(fitsStars(pattern, text), fits);
    });
  }

  test("the caller says what other signs stand for", () => {
    assert.equal(fitsStars("?s", "ls", oneSign), true);
    assert.equal(fitsStars("?s", "s", oneSign), false);
    assert.equal(
      fitsStars("a*", "a\0", (sign, char) => char !== "\0" && sign === char),
      true,
    );
    assert.equal(
      fitsStars("a\0", "a\0", (sign, char) => char !== "\0" && sign === char),
      false,
    );
  });

  const few = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", ".", "\n"), maxLength: 12 });
  const seed = seedOf();

  test("every pattern fits the texts that a regular expression of it fits", () => {
    fc.assert(
      fc.property(few, few, (pattern, text) => {
        const source = (one: string): string =>
          pattern.replace(/[.?\n*]/g, (sign) => (sign === "*" ? ".*" : sign === "?" ? one : `[${sign}]`));
        assert.equal(fitsStars(pattern, text), new RegExp(`^${source("[?]")}$`, "s").test(text));
        assert.equal(fitsStars(pattern, text, oneSign), new RegExp(`^${source(".")}$`, "s").test(text));
      }),
      { seed, numRuns: 5_000 },
    );
  });

  test("no pattern looks at more signs than its length times the text's", () => {
    let looks = 0;
    const counted: SignFits = (sign, char) => {
      looks += 1;
      return sign === char;
    };
    const pattern = `${"*a".repeat(50)}b`;
    assert.equal(fitsStars(pattern, "a".repeat(2_000), counted), false);
    assert.ok(looks <= pattern.length * 2_000, `${looks} looks`);
    looks = 0;
    assert.equal(fitsStars("git *", `git ${"x".repeat(100_000)}`, counted), true);
    assert.equal(looks, "git ".length);
  });
});
