import { spawnSync } from "node:child_process";
import { appendFileSync, openSync, readFileSync } from "node:fs";
import { npmProblem } from "./problems.mjs";

const onWindows = process.platform === "win32";

// No package needs its install script but `node`, whose work the set-up does itself. Windows gets its Node by the script.
const QUIETLY = ["--no-audit", "--no-fund", "--no-color", ...(onWindows ? [] : ["--ignore-scripts"])];

/** Runs npm with its words in the log. Throws a problem that says why it failed. */
export function runNpm(args, log) {
  const command = [...args, ...QUIETLY];
  appendFileSync(log, `$ npm ${command.join(" ")}\n`);
  const output = openSync(log, "a");
  const { status, signal, error } = spawnSync("npm", command, { stdio: ["ignore", output, output], shell: onWindows });
  if (status !== 0)
    throw npmProblem({ args, log, text: readFileSync(log, "utf8"), end: error?.code ?? signal ?? status });
}
