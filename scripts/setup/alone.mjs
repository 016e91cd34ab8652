import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** Takes the lock, or returns false. The number is written before the file gets its name: nobody reads half of it. */
function take() {
  const aside = `${LOCK}.${process.pid}`;
  try {
    // Not recursive: on a read-only disk Node would call the directory missing, and not the disk read-only.
    if (!existsSync(dirname(LOCK))) mkdirSync(dirname(LOCK));
    writeFileSync(aside, String(process.pid));
    linkSync(aside, LOCK);
    return true;
  } catch (thrown) {
    if (thrown.code !== "EEXIST") throw writeProblem(thrown);
    return false;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The process that holds the lock; undefined where it has just been given back. */
function owner() {
  try {
    return Number(readFileSync(LOCK, "utf8"));
  } catch {
    return undefined;
  }
}

/** Does the work when no other process sets this checkout up. */
export function alone(say, work) {
  let told;
  while (!take()) {
    const pid = owner();
    if (pid === undefined) continue;
    if (!runs(pid)) rmSync(LOCK, { force: true });
    else if (told === pid) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
    else say(`process ${pid} sets this checkout up: waiting for it …`);
    told = pid;
  }
  try {
    work();
  } catch (thrown) {
    throw thrown instanceof SetupProblem ? thrown : writeProblem(thrown);
  } finally {
    rmSync(LOCK, { force: true });
  }
}
