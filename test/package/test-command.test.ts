import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { leftOut, notTested, slowest } from "../../scripts/tests/summary.ts";
import { missing } from "../support/missing.ts";
import { skipVariable } from "../support/real-agent.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs the test command on a file that needs the real Claude Code, on a machine that cannot have it. */
async function withoutClaude(env: Record<string, string>, ...flags: string[]): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, ["scripts/test.ts", "real/claude/discovery", ...flags], {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      PARLEY_TEST_REQUIRE_REAL: undefined,
      [skipVariable("claude")]: missing("the real claude: there is no network"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [[code], out, err] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  return { code: code as number, said: out + err };
}

describe("npm test, without a real program", () => {
  test("says what was not tested, and succeeds", async () => {
    const { code, said } = await withoutClaude({});
    assert.equal(code, 0, said);
    assert.match(said, /NOT TESTED\nparley: SKIPPED: the real claude: there is no network \(1 .*claude\/discovery/);
  });

  test("fails where PARLEY_TEST_REQUIRE_REAL demands it, and says what to do", async () => {
    const { code, said } = await withoutClaude({ PARLEY_TEST_REQUIRE_REAL: "1" }, "--slowest");
    assert.equal(code, 1, said);
    assert.match(said, /PARLEY_TEST_REQUIRE_REAL=1 demands .* install what is missing \(\.ci\/programs/);
    assert.match(said, /SLOWEST FILES\nparley: +\d+\.\d s {2}test\/real\/claude\/discovery\.test\.ts/);
  });
});

describe("the end of npm test", () => {
  const skips = [
    { file: "test/a.test.ts", name: "a page", reason: missing("Chromium") },
    { file: "test/a.test.ts", name: "another page", reason: missing("Chromium") },
    { file: "test/b.test.ts", name: "a page of b", reason: missing("Chromium") },
    { file: "test/c.test.ts", name: "a group", reason: "needs /proc" },
    { file: "test/c.test.ts", name: "as a user", reason: "" },
  ];

  test("has one line for each missing program, with the files that need it", () => {
    assert.deepEqual(notTested(skips), [
      "SKIPPED: Chromium (3 tests or groups of tests in test/a.test.ts, test/b.test.ts)",
    ]);
  });

  test("tells apart what the platform does not have", () => {
    assert.deepEqual(leftOut(skips), ["test/c.test.ts: a group (needs /proc)", "test/c.test.ts: as a user"]);
  });

  test("counts what is left to the long run", () => {
    const reason = "long: npm run test:hard";
    const left = ["a", "b"].map((name) => ({ file: "test/d.test.ts", name, reason }));
    assert.deepEqual(leftOut(left), ["2 tests or groups of tests (long: npm run test:hard)"]);
  });

  test("names the slowest first", () => {
    const times = [
      { file: "quick", ms: 100 },
      { file: "slow", ms: 12_345 },
      { file: "middle", ms: 5_000 },
    ];
    assert.deepEqual(slowest(times, 2), ["  12.3 s  slow", "   5.0 s  middle"]);
  });
});
