// Sets up a checkout: its packages, and the Node that it runs with. Plain JavaScript, because it runs before Node 24 is there.
import { existsSync, lstatSync, mkdtempSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { alone } from "./setup/alone.mjs";
import { bringNode, neededNode } from "./setup/node.mjs";
import { INSTALLED, isFresh } from "./setup/packages.mjs";
import { SetupProblem } from "./setup/problems.mjs";
import { runNpm } from "./setup/run-npm.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const say = (line) => console.error(`parley: ${line}`);

/** With the command among the packages' programs, npx runs it as it is; else it installs the checkout for each run. */
function linkCommand() {
  if (process.platform === "win32") return;
  try {
    symlinkSync("../../bin/parley.js", join("node_modules", ".bin", "parley"));
  } catch {
    // It is there, or the checkout may not be written: npx only says more then.
  }
}

/** Every step says in one line what it does; npm's own words go to a file. */
function setUp(log) {
  const fresh = isFresh();
  const node = neededNode(!fresh);
  const steps = [
    ...(fresh ? [] : [["the packages of package-lock.json", () => runNpm(["ci"], log)]]),
    ...(node ? [[`Node ${node}`, () => bringNode(log)]] : []),
  ];
  for (const [at, [what, step]] of steps.entries()) {
    const begun = Date.now();
    say(`set-up ${at + 1}/${steps.length}: installing ${what} …`);
    step();
    say(`set-up ${at + 1}/${steps.length}: done in ${Math.ceil((Date.now() - begun) / 1000)} s`);
  }
  const now = new Date();
  utimesSync(INSTALLED, now, now);
}

function main() {
  // A linked directory is another checkout's: npm ci would empty it for everybody who uses it.
  if (lstatSync("node_modules", { throwIfNoEntry: false })?.isSymbolicLink()) {
    if (existsSync(INSTALLED)) return;
    throw new SetupProblem("node_modules is a link to one without packages: run npm ci in the checkout it belongs to");
  }
  if (!isFresh() || neededNode(false)) {
    alone(say, () => {
      const directory = mkdtempSync(join(tmpdir(), "parley-setup-"));
      setUp(join(directory, "npm.log"));
      rmSync(directory, { recursive: true, force: true });
    });
  }
  linkCommand();
}

try {
  main();
} catch (thrown) {
  if (!(thrown instanceof SetupProblem)) throw thrown;
  for (const line of thrown.message.split("\n")) say(line);
  process.exitCode = 1;
}
