import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { measurements } from "../../bench/measurements.ts";

const root = new URL("../../", import.meta.url);

/** The rows of the tables that name a test in their last column. */
function promisesOf(page: string): { row: string; tests: string[] }[] {
  const text = readFileSync(new URL(`docs/${page}`, root), "utf8");
  return text
    .split("\n")
    .filter((line) => /\| `(?:test\/|bench )[^|]*\|$/.test(line))
    .map((row) => ({ row, tests: [...row.matchAll(/`(test\/[\w/-]+|bench [\w-]+)`/g)].map(([, name = ""]) => name) }));
}

const benches = new Set(measurements.map(({ name }) => `bench ${name}`));

describe("promises in the documents", () => {
  for (const [page, least] of [
    ["security.md", 25],
    ["reliability.md", 29],
  ] as const) {
    test(`${page}: each names tests that are there`, () => {
      const promises = promisesOf(page);
      assert.ok(promises.length >= least, `only ${promises.length} promises name a test`);
      const missing = promises
        .flatMap(({ tests }) => tests)
        .filter((name) => !benches.has(name) && !existsSync(new URL(`${name}.test.ts`, root)));
      assert.deepEqual(missing, []);
    });
  }

  test("the rows of reliability.md are counted", () => {
    const text = readFileSync(new URL("docs/reliability.md", root), "utf8");
    const numbers = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
    assert.deepEqual(
      numbers,
      Array.from({ length: 46 }, (_, at) => at + 1),
    );
  });
});
