import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SetupProblem, writeProblem } from "./problems.mjs";

/** Holds the number of the process that sets the checkout up: npm ci empties the directory that another one fills. */
const LOCK = join(".parley", "set-up");
const LOOK_MS = 200;

function runs(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown.code === "EPERM";
  }
}

/** Takes the lock, or returns the process that has it. */
function take() {
  try {
    mkdirSync(dirname(LOCK), { recursive: true });
    writeFileSync(LOCK, String(process.pid), { flag: "wx" });
    return undefined;
  } catch (thrown) {
    if (thrown.code !== "EEXIST") throw writeProblem(thrown);
  }
  return Number(readFileSync(LOCK, "utf8")) || undefined;
}

/** Does the work when no other process sets this checkout up. */
export function alone(say, work) {
  let told;
  for (let owner = take(); owner !== undefined; owner = take()) {
    if (!runs(owner)) rmSync(LOCK, { force: true });
    else if (told !== owner) {
      say(`process ${owner} sets this checkout up: waiting for it …`);
      told = owner;
    } else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
  try {
    work();
  } catch (thrown) {
    throw thrown instanceof SetupProblem ? thrown : writeProblem(thrown);
  } finally {
    rmSync(LOCK, { force: true });
  }
}
