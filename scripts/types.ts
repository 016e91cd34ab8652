import { spawnSync } from "node:child_process";

// Checks the types: everything that runs in Node, then all that runs in a browser, or drives one, with the browser's types.
for (const project of [".", "web", "test/console"]) {
  const { status, error } = spawnSync("tsc", ["-p", project], { stdio: "inherit" });
  if (error) console.error(`expected to run tsc, got ${error.message}: run this by npm run check`);
  if (status !== 0) process.exit(status ?? 1);
}
