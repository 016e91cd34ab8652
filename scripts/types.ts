import { spawnSync } from "node:child_process";

// Checks the types: everything that runs in Node, then all that runs in a browser, or drives one, with the browser's types.
for (const project of [".", "web", "test/console"]) {
  const { status } = spawnSync("tsc", ["-p", project], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
