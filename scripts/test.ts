import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";

// `npm test` runs everything; `npm test -- gateway` only the test files whose path holds that word;
// `npm run test:hard` adds the long ones of test/hard.
const args = process.argv.slice(2);
const hard = args.includes("--hard");
const words = args.filter((arg) => !arg.startsWith("--"));

function run(label: string, command: string, parameters: string[]): void {
  console.error(`\n── ${label}`);
  const { status, signal } = spawnSync(command, parameters, {
    stdio: "inherit",
    env: { ...process.env, ...(hard ? { PARLEY_TEST_HARD: "1" } : {}) },
  });
  if (status === 0) return;
  console.error(`\nparley: ${label} failed${signal ? ` (${signal})` : ""}`);
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
run(`${files.length} test files`, process.execPath, ["--test", "--test-reporter=spec", ...files]);
