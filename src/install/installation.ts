import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../core/errors.ts";
import { acquireLock, type LockHeld } from "../host/data-lock.ts";
import {
  agentDirectory,
  chooseVersion,
  type Installation,
  type Installed,
  readInstalled,
  versionDirectory,
  writeFacts,
} from "./layout.ts";
import { InstallProblem } from "./problem.ts";
import { npmInstall } from "./run-npm.ts";

export interface InstallOptions {
  /** Where Parley installs agents: see `agentsDirectory`. */
  agents: string;
  /** Default: the one that Parley is tested with. */
  version?: string;
  /** Installs again what is there already. */
  force?: boolean;
  env?: Environment;
  /** A line for a person. */
  progress?(line: string): void;
  /** Gives it up when it is aborted. */
  stop?: AbortSignal;
}

export type InstallResult = Installed & { already: boolean };

const DRAFT = ".draft-";
const LOOK_AGAIN_MS = 200;
/** Failures that may pass by themselves. A registry that refuses will refuse again. */
const WORTH_A_RETRY = new Set(["network", "other"]);

/** A package that becomes an agent's program. */
export interface Wanted {
  /** The agent's name, which its directory has. */
  name: string;
  package: string;
  /** The version that is installed where no other is asked for. */
  version: string;
  /** About how much is downloaded, in words. */
  size: string;
  /** The program in what npm put into a directory; a problem where none of it runs here. */
  find(directory: string, version: string, env: Environment): Promise<Installation>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

interface Job {
  name: string;
  wanted: Wanted;
  version: string;
  agents: string;
  env: Environment;
  progress(line: string): void;
  stop: AbortSignal | undefined;
}

/** Installs a program, or finds that it is there. Two at once are safe: the second waits and finds the first's work. */
export async function installWanted(wanted: Wanted, options: InstallOptions): Promise<InstallResult> {
  const { agents, env = process.env, progress = () => {} } = options;
  const { name } = wanted;
  const version = options.version ?? wanted.version;
  if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) {
    throw new InstallProblem("other", `expected a version like ${wanted.version}, got "${version}"`);
  }
  const job: Job = { name, wanted, version, agents, env, progress, stop: options.stop };
  const before = readInstalled(agents, name, version);
  const lock = await lockAgent(job);
  try {
    const there = readInstalled(agents, name, version);
    // One that appeared while we waited for the lock is as fresh as one of our own.
    if (there && (options.force !== true || before === undefined)) {
      chooseVersion(agents, name, version);
      return { ...there, already: true };
    }
    return { ...(await installNew(job)), already: false };
  } finally {
    lock.release();
  }
}

async function lockAgent({ name, agents, progress }: Job): Promise<LockHeld> {
  const directory = agentDirectory(agents, name);
  let told = false;
  for (;;) {
    const lock = await acquireLock(directory);
    if (lock.ok) return lock;
    if (!told) progress(`process ${lock.owner.pid} is installing ${name}: waiting for it`);
    told = true;
    await delay(LOOK_AGAIN_MS);
  }
}

async function installNew(job: Job): Promise<Installed> {
  const { name, agents, version } = job;
  const home = agentDirectory(agents, name);
  // Under the lock nobody else makes drafts: those that are there were left by a process that died.
  for (const entry of readdirSync(home)) if (entry.startsWith(DRAFT)) discard(join(home, entry));
  const draft = mkdtempSync(join(home, DRAFT));
  try {
    const facts = await fill(draft, job);
    writeFacts(draft, facts);
    replace(draft, versionDirectory(agents, name, version), home);
  } catch (thrown) {
    discard(draft);
    throw thrown;
  }
  const installed = readInstalled(agents, name, version);
  const gone = `${home} does not hold what was just installed there: does something else write to it? Try again`;
  if (!installed) throw new InstallProblem("disk", gone);
  chooseVersion(agents, name, version);
  return installed;
}

/** Downloads into the draft and finds the program that runs here. */
async function fill(draft: string, job: Job): Promise<Installation> {
  const { wanted, version, progress, env } = job;
  const whole = `${wanted.package}@${version}`;
  progress(`installing ${whole} with npm (${wanted.size}) …`);
  await npmWithRetry(whole, draft, job);
  progress(`checking ${whole} …`);
  return wanted.find(draft, version, env);
}

async function npmWithRetry(wanted: string, directory: string, { env, progress, stop }: Job): Promise<void> {
  try {
    await npmInstall({ wanted, directory, env, progress, stop });
  } catch (thrown) {
    if (!(thrown instanceof InstallProblem) || !WORTH_A_RETRY.has(thrown.kind)) throw thrown;
    progress(`that did not work, trying once more: ${messageOf(thrown).split("\n", 1)[0]}`);
    await npmInstall({ wanted, directory, env, progress, stop });
  }
}

/** By renaming: whoever looks sees the old installation or the new one, whole. */
function replace(draft: string, target: string, home: string): void {
  if (!existsSync(target)) {
    renameSync(draft, target);
    return;
  }
  const old = mkdtempSync(join(home, DRAFT));
  renameSync(target, join(old, "old"));
  renameSync(draft, target);
  discard(old);
}

function discard(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}
