import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { RunningFiles } from "../../scripts/tests/overdue.ts";
import { leftOut, notTested, slowest } from "../../scripts/tests/summary.ts";
import { cpuMsOf } from "../../scripts/tests/tell-cpu.ts";
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

test("the processor's time of a test file is its own and that of all it waited for", () => {
  const stat = "4711 (a (b) c) S 1 4711 4711 0 -1 4194560 5 0 0 0 30 4 200 1000 20 0 1 0 99 0 0";
  assert.equal(cpuMsOf(stat), 12_340);
});

describe("test files that do not end", () => {
  test("are ended after the limit, then what the run left, then the run", () => {
    const running = new RunningFiles();
    const late = (now: number) => running.overdue(1_000, 100, now).map(({ file, measure }) => `${file}: ${measure}`);
    running.begin("a", 0);
    running.begin("b", 500);
    assert.deepEqual(late(1_000), []);
    assert.deepEqual(late(1_001), ["a: end its processes"]);
    assert.deepEqual(late(1_100), []);
    assert.deepEqual(late(1_101), ["a: end what the run left without a parent"]);
    running.end("a");
    assert.deepEqual(late(1_499), []);
    assert.deepEqual(
      [1_501, 1_601, 1_701].flatMap((now) => late(now)),
      ["b: end its processes", "b: end what the run left without a parent", "b: give up"],
    );
  });

  test("are ended with what they left, named, and fail the run; the others go on", async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "parley-overdue-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = (name: string, body: string): string => {
      const path = join(directory, `${name}.test.mjs`);
      writeFileSync(path, `import { spawn } from "node:child_process";\nimport { test } from "node:test";\n${body}\n`);
      // As the command's own search names them.
      return `${name}.test.mjs`;
    };
    const sleeper = `spawn("sleep", ["9731"], { stdio: "inherit", detached: true }).unref()`;
    const files = [
      file("handle", `test("leaves a timer", () => void setInterval(() => {}, 1000));`),
      file("holder", `test("leaves a process", () => void ${sleeper});`),
      file("both", `test("leaves both", () => { ${sleeper}; setInterval(() => {}, 1000); });`),
      file("fine", `test("is fine", () => {});`),
    ];
    const program = join(directory, "run.mjs");
    writeFileSync(
      program,
      `import { runFiles } from ${JSON.stringify(join(ROOT, "scripts/tests/run-files.ts"))};
       const limits = { fileMs: 8_000, patienceMs: 2_000 };
       const { failed, tests } = await runFiles(${JSON.stringify(files)}, 4, limits, new AbortController().signal);
       console.log(JSON.stringify({ failed, tests: tests.map(({ name }) => name) }));`,
    );
    const child = spawn(process.execPath, [program], {
      cwd: directory,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, PARLEY_TEST_RUN: `overdue-${process.pid}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const { failed, tests } = JSON.parse(out.trim().split("\n").at(-1) ?? "");
    assert.equal(failed, true);
    assert.ok(tests.includes("is fine"), out);
    for (const name of ["handle", "both"])
      assert.match(
        err,
        new RegExp(`${name}\\.test\\.mjs has not ended within 8 s: end its processes\nparley: {3}ended \\d+ .*${name}`),
      );
    assert.match(err, /holder\.test\.mjs has not ended within 8 s: end what the run left without a parent/);
    assert.match(err, /ended \d+ sleep 9731/);
  });
});
