import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { INSTALLABLE_NAMES } from "../src/install/catalog.ts";
import { findBrowser } from "../test/support/browser.ts";
import { realAgent, skipVariable } from "../test/support/real-agent.ts";

// `npm test` runs everything; `npm test -- gateway` only the test files whose path holds that word;
// `npm run test:hard` adds the long ones of test/hard.
const args = process.argv.slice(2);
const hard = args.includes("--hard");
const words = args.filter((arg) => !arg.startsWith("--"));

/** Most files wait for processes most of the time: two at once keep a small machine busy. */
const SIDE_BY_SIDE = Math.max(2, availableParallelism() - 1);

function run(label: string, command: string, parameters: string[], failure = `${label} failed`): void {
  console.error(`\n── ${label}`);
  const { status, signal } = spawnSync(command, parameters, {
    stdio: "inherit",
    // Agents that this machine happens to have are none of the tests' business; those of test/real bring their own.
    env: { PARLEY_CLAUDE_BIN: "/nonexistent/claude", ...process.env, ...(hard ? { PARLEY_TEST_HARD: "1" } : {}) },
  });
  if (status === 0) return;
  console.error(`\nparley: ${failure}${signal ? ` (${signal})` : ""}`);
  process.exit(status ?? 1);
}

if (words.length === 0) {
  run("format, lint, import direction", "biome", ["check", "."]);
  run("types", "tsc", ["-p", "."]);
}
const files = globSync("test/**/*.test.ts")
  .filter((file) => hard || !file.startsWith("test/hard/"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) {
  console.error(`parley: no test file matches ${words.join(" ")}`);
  process.exit(1);
}

/** A file of test/real begins with the name of the agent whose real program it drives. */
const real = files.filter((file) => file.startsWith("test/real/")).map((file) => basename(file));
const notTested: string[] = [];
for (const name of INSTALLABLE_NAMES.filter((agent) => real.some((file) => file.startsWith(agent)))) {
  const { skip } = await realAgent(name, (line) => console.error(`parley: ${line}`));
  if (skip === false) continue;
  process.env[skipVariable(name)] = skip.split("\n", 1)[0];
  notTested.push(`the real ${name}: ${skip}`);
}
if (real.length > 0 && !(await findBrowser())) notTested.push("web pages: there is no Chromium in the search path");

run(
  `${files.length} test files`,
  process.execPath,
  ["--test", "--test-reporter=spec", `--test-concurrency=${SIDE_BY_SIDE}`, ...files],
  `tests failed: those marked ✖ above, in ${files.length} test files`,
);
if (notTested.length > 0) {
  console.error("\n── NOT TESTED");
  for (const what of notTested) console.error(`parley: SKIPPED: ${what}`);
}
