import { isParleyError, messageOf } from "../../core/errors.ts";
import { AlreadyRunning } from "../../server/parley.ts";
import type { Settings } from "../config/settings.ts";
import { CliError, EXIT, systemCodeOf } from "../exit.ts";
import { ownCommand } from "../own-command.ts";

/** Mistakes in how the start was asked for, as against what the machine refused. */
const ASKED_WRONGLY = new Set(["forbidden", "invalid", "agent_not_found"]);

type Words = (settings: Settings) => string;

const notAllowed: Words = ({ dataDir, port }) =>
  `not allowed: see that ${dataDir} belongs to you, and that port ${port} needs no special rights`;
const noAddress: Words = ({ host }) => `${host} is no address of this machine: give one with --host`;
const noDirectory: Words = ({ dataDir }) => `${dataDir} cannot be the data directory: choose another with --data-dir`;
const fullDisk: Words = ({ dataDir }) =>
  `Parley cannot start: the disk of ${dataDir} is full, and turns that an earlier run left open could not be closed: free some space, then start again`;

/** The words for each code of the system. */
const SYSTEM_PROBLEMS: Readonly<Record<string, Words>> = {
  EADDRINUSE: ({ host, port }) =>
    `port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free one`,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  ENOENT: noDirectory,
  ENOTDIR: noDirectory,
  EEXIST: noDirectory,
  ENOSPC: fullDisk,
  EDQUOT: fullDisk,
  EIO: ({ dataDir }) =>
    `the disk of ${dataDir} fails: see the system's log, and choose another directory with --data-dir`,
  EROFS: ({ dataDir }) => `${dataDir} is on a read-only disk: choose another with --data-dir`,
};

/** Makes one clear line of what kept the server from starting; a defect stays what it is. */
export function startProblem(thrown: unknown, settings: Settings): unknown {
  if (thrown instanceof AlreadyRunning) {
    const todo = `"${ownCommand()} console" opens it, or end that process`;
    return new CliError(`${thrown.message}; ${todo}`, EXIT.failed, thrown);
  }
  if (isParleyError(thrown)) {
    const message = thrown.code === "disk_full" ? fullDisk(settings) : thrown.message;
    return new CliError(message, ASKED_WRONGLY.has(thrown.code) ? EXIT.usage : EXIT.failed, thrown);
  }
  const code = systemCodeOf(thrown);
  if (code === undefined) return thrown;
  const known = SYSTEM_PROBLEMS[code]?.(settings);
  return new CliError(known ? `${known} (${messageOf(thrown)})` : messageOf(thrown), EXIT.failed, thrown);
}
