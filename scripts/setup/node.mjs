import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { lockedVersion } from "./packages.mjs";
import { SetupProblem } from "./problems.mjs";
import { runNpm } from "./run-npm.mjs";

const OWN = join("node_modules", ".bin", "node");
const NEEDED = 24;

/** Whether this Node is the machine's and new enough. npm ci removes the checkout's own. */
function isEnough() {
  const major = Number(process.versions.node.split(".")[0]);
  return major >= NEEDED && !process.execPath.startsWith(resolve("node_modules"));
}

/** The version of Node that the checkout must bring, if any; `emptied`: npm ci comes before. */
export function neededNode(emptied) {
  if (process.platform === "win32" || isEnough() || (existsSync(OWN) && !emptied)) return undefined;
  return lockedVersion("node");
}

/** The package that holds the program; npm's package `node` would fetch it by an install script. */
function platformPackage() {
  const { platform, arch } = process;
  return `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
}

/** Puts the program where npm's package `node` would put it. */
export function bringNode(log) {
  const name = platformPackage();
  const place = join("node_modules", ".cache", "node");
  mkdirSync(place, { recursive: true });
  runNpm(["install", "--prefix", place, "--no-save", "--no-package-lock", `${name}@${lockedVersion("node")}`], log);
  const program = join(place, "node_modules", name, "bin", "node");
  const { status, error } = spawnSync(program, ["--version"], { stdio: "ignore" });
  if (status !== 0) {
    throw new SetupProblem(
      `the Node of the package ${name} does not run here (${error?.message ?? `it ended with ${status}`}):\n` +
        `install Node ${NEEDED} or newer by your system's means, and begin again`,
    );
  }
  mkdirSync(join("node_modules", "node", "bin"), { recursive: true });
  renameSync(program, join("node_modules", "node", "bin", "node"));
  rmSync(place, { recursive: true, force: true });
  symlinkSync("../node/bin/node", OWN);
}
