import { globSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { INSTALLABLE, INSTALLABLE_NAMES, type InstallableName } from "../src/install/catalog.ts";
import { REAL_CLIENTS, realClient } from "../test/support/acp/real-client.ts";
import { REAL_ACP_AGENTS, realAcpAgent } from "../test/support/real-acp-agent.ts";
import { realAgent, skipVariable, versionVariable } from "../test/support/real-agent.ts";
import { checking, type Failed } from "./tests/check.ts";
import { RUN_VARIABLE } from "./tests/end-file.ts";
import { runFiles } from "./tests/run-files.ts";
import { leftOut, notTested, slowest } from "./tests/summary.ts";
import { CPU_VARIABLE } from "./tests/tell-cpu.ts";

// `npm test` runs everything; `npm test -- gateway` only the test files whose path holds that word;
// `npm test -- --slowest` tells also the slowest tests, `--times=FILE` writes the times of all of them, and into FILE.cpu the
// processor's time of each file, `--at-once=3` runs so many files side by side, `--file-minutes=5` ends one that takes
// longer; `npm run test:hard` adds the long ones of test/hard.
const args = process.argv.slice(2);
const flagValue = (flag: string): string | undefined =>
  args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
const hard = args.includes("--hard");
const words = args.filter((arg) => !arg.startsWith("--"));

/** Files wait a third of the time: two more than the machine has cores keep it busy. Limits on time want it less busy than that. */
const SIDE_BY_SIDE = Number(
  flagValue("at-once") ?? (hard ? Math.max(2, availableParallelism() - 1) : availableParallelism() + 2),
);

/** Many times what the slowest file takes. Groups of tests have limits of their own, which name the test. */
const LIMITS = {
  fileMs: 60_000 * Number(flagValue("file-minutes") ?? (hard ? 120 : 20)),
  patienceMs: 10_000,
};

/** With fewer files everybody sees which one is slow. */
const MANY_FILES = 10;

function list(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  console.error(`\n── ${title}`);
  for (const line of lines) console.error(`parley: ${line}`);
}

function fail(message: string, status = 1): never {
  console.error(`\nparley: ${message}`);
  process.exit(status);
}

// The checks run beside the first tests. One that fails ends the run, so that nobody waits for the rest.
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
const checked: Promise<Failed | undefined> = words.length === 0 ? checking(stop) : Promise.resolve(undefined);
const files = globSync("test/**/*.test.ts")
  .filter((file) => hard || !file.startsWith("test/hard/"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) fail(`no test file matches ${words.join(" ")}`);

// Tests use no agent that this machine happens to have; those of test/real bring their own.
process.env.PARLEY_CLAUDE_BIN ??= "/nonexistent/claude";
process.env.PARLEY_CODEX_BIN ??= "/nonexistent/codex";
process.env.PARLEY_OPENCODE_BIN ??= "/nonexistent/opencode";
process.env.PARLEY_KNOWN_AGENTS ??= "false";
// Nor the developer's own OpenCode configuration, whose permissions become rules of sessions.
process.env.XDG_CONFIG_HOME = "/nonexistent/config";
// Read anew for each directory, OpenCode's catalogue of all models takes most of a second of the processor.
process.env.OPENCODE_MODELS_PATH ??= resolve("test/fixtures/opencode/no-models.json");
if (hard) process.env.PARLEY_TEST_HARD = "1";
const times = flagValue("times");
if (times !== undefined && process.platform === "linux") {
  process.env[CPU_VARIABLE] ??= resolve(`${times}.cpu`);
  rmSync(`${times}.cpu`, { force: true });
}
process.env[RUN_VARIABLE] = `${process.pid}`;
// Hundreds of processes run the same TypeScript: each finds it compiled by the one before.
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/parley-compiled");

/** A folder of test/real is named for the program that its tests drive; `-agent` where Parley is not the server of that program but its client. */
const realOf = (agent: string): string[] =>
  files.filter((file) =>
    [`test/real/${agent}/`, `test/real/${agent}-agent/`].some((folder) => file.startsWith(folder)),
  );
const say = (line: string): void => console.error(`parley: ${line}`);
function skipped(name: string, skip: string | false): void {
  if (skip === false) return;
  say(skip);
  process.env[skipVariable(name)] = skip.split("\n", 1)[0];
}
for (const name of INSTALLABLE_NAMES.filter((agent) => realOf(agent).length > 0))
  skipped(name, (await realAgent(name, say)).skip);
// Tests of all ACP agents are in one folder: what holds for one of them holds for each.
if (files.some((file) => file.startsWith("test/real/acp-agents/")))
  for (const name of REAL_ACP_AGENTS) skipped(name, (await realAcpAgent(name, say)).skip);
// Clients of the protocol are in one folder, too, in front of agents with programs of their own.
if (files.some((file) => file.startsWith("test/real/acp-clients/"))) {
  for (const name of REAL_CLIENTS) skipped(name, (await realClient(name, say)).skip);
  for (const name of ["claude", "opencode"] as const) skipped(name, (await realAgent(name, say)).skip);
}

console.error(`\n── ${files.length} test files`);
const ran = await runFiles(files, SIDE_BY_SIDE, LIMITS, stop.signal);

/** The tests with Claude Code that hold for each of its tested versions: the most common turns, and what differs between the versions. */
const EVERY_VERSION = ["claude/subagents"];

/** A second pass with the older version: a chosen set, or all with `--hard`. */
async function runOlder(name: InstallableName, version: string): Promise<void> {
  const again = [...realOf(name), ...files.filter((file) => file.startsWith(`test/hard/${name}-`))];
  const chosen = again.filter((file) => hard || EVERY_VERSION.some((word) => file.includes(word)));
  if (chosen.length === 0 || process.env[versionVariable(name)] !== undefined) return;
  console.error(`\n── ${chosen.length} test files with ${name} ${version}`);
  process.env[versionVariable(name)] = version;
  const older = await runFiles(chosen, SIDE_BY_SIDE, LIMITS, stop.signal);
  delete process.env[versionVariable(name)];
  ran.failed ||= older.failed;
  for (const list of ["skips", "files", "tests"] as const) (ran[list] as unknown[]).push(...older[list]);
}
for (const name of INSTALLABLE_NAMES)
  for (const version of INSTALLABLE[name].older) if (!stop.signal.aborted) await runOlder(name, version);

if (times !== undefined) writeFileSync(times, JSON.stringify({ files: ran.files, tests: ran.tests }));
const wrong = await checked;
if (wrong) {
  console.error(`\n── ${wrong.label}\n${wrong.said.trimEnd()}`);
  fail(`${wrong.label} failed${wrong.signal ? ` (${wrong.signal})` : ""}`, wrong.status ?? 1);
}
const untested = notTested(ran.skips);
if (args.includes("--slowest")) list("SLOWEST TESTS", slowest(ran.tests, 20));
if (args.includes("--slowest") || files.length > MANY_FILES) list("SLOWEST FILES", slowest(ran.files));
list("LEFT OUT HERE", leftOut(ran.skips));
list("NOT TESTED", untested);
if (ran.failed) fail(`tests failed: those marked ✖ above, in ${files.length} test files`);
if (untested.length > 0 && process.env.PARLEY_TEST_REQUIRE_REAL === "1") {
  fail(
    "PARLEY_TEST_REQUIRE_REAL=1 demands every test with a real program, and those above were skipped: install what is " +
      "missing (.ci/programs names the Debian packages; agents come through npm) and run it again",
  );
}
