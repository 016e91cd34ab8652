import { execFile, spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { readLimit } from "../process-scan.ts";
import { type LockLimit, limitFor, parseLimits } from "./limit-mark.ts";

type Argv = readonly [string, ...string[]];

/** Puts in front of a program what sets its limit and then becomes the program. */
export type Launcher = (limit: LockLimit, argv: Argv) => Argv;

export interface Start {
  argv: Argv;
  directory: string;
  /** Where a bare name is looked up. */
  searchPath: string | undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isThere({ argv: [name], directory, searchPath = "/usr/bin:/bin" }: Start): boolean {
  const directories = name.includes("/") ? [""] : searchPath.split(delimiter);
  return directories.some((one) => isProgram(resolve(directory, join(one, name))));
}

const byPrlimit =
  (path: string): Launcher =>
  ({ soft, hard }, argv) => [path, `--locks=${soft}:${hard}`, "--", ...argv];

/** A shell of another family has another letter for it, and drops variables whose names are none to it. */
const byShell =
  (letter: string): Launcher =>
  ({ soft, hard }, argv) => {
    const script = `ulimit -S -${letter} ${soft} && ulimit -H -${letter} ${hard}; exec "$@"`;
    return ["/bin/sh", "-c", script, "sh", ...argv];
  };

function findPrlimit(): string | undefined {
  const directories = ["/usr/bin", "/bin", ...(process.env.PATH ?? "").split(delimiter)];
  return directories.map((directory) => join(directory, "prlimit")).find(isProgram);
}

export function launchers(): Launcher[] {
  const prlimit = findPrlimit();
  return [...(prlimit === undefined ? [] : [byPrlimit(prlimit)]), byShell("w"), byShell("x")];
}

/** Starts a program with it once and looks at the limit that the program got. */
export function works(launcher: Launcher, limit: LockLimit): boolean {
  const [program, ...args] = launcher(limit, ["cat", "/proc/self/limits"]);
  const { stdout } = spawnSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const got = parseLimits(stdout ?? "");
  return got?.soft === limit.soft && got?.hard === limit.hard;
}

let own: LockLimit | undefined;
let chosen: Launcher | null | undefined;

/**
 * How to start a program so that it carries a number; as it is where the system has no way to add one. So is a program
 * that is not there: the system says then what is wrong with it.
 */
export function withNumber(number: bigint, start: Start): Argv {
  own ??= readLimit("self");
  const limit = own && limitFor(number, own);
  if (!limit) return start.argv;
  if (chosen === undefined) chosen = launchers().find((launcher) => works(launcher, limit)) ?? null;
  return chosen && isThere(start) ? chosen(limit, start.argv) : start.argv;
}

/**
 * Gives a program its number right after its start. For one that cannot wait for the look at how programs are started with
 * theirs. Undefined where that is known, or nothing gives a number to a program that runs.
 */
export function numberLater(number: bigint): ((pid: number) => void) | undefined {
  own ??= readLimit("self");
  const limit = own && limitFor(number, own);
  const prlimit = limit && chosen === undefined ? findPrlimit() : undefined;
  if (!limit || prlimit === undefined) return undefined;
  // Where the system refuses it, the program has its other marks.
  return (pid) => void execFile(prlimit, ["--pid", String(pid), `--locks=${limit.soft}:${limit.hard}`], () => {});
}
