import { isParleyError, messageOf } from "../../core/errors.ts";
import { AlreadyRunning } from "../../server/parley.ts";
import type { Settings } from "../config/settings.ts";
import { CliError, EXIT, systemCodeOf } from "../exit.ts";

/** Mistakes in how the start was asked for, as against what the machine refused. */
const ASKED_WRONGLY = new Set(["forbidden", "invalid", "agent_not_found"]);

function systemProblem(code: string, { host, port, dataDir }: Settings): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free one`;
    case "EACCES":
    case "EPERM":
      return `not allowed: see that ${dataDir} belongs to you, and that port ${port} needs no special rights`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${host} is no address of this machine: give one with --host`;
    case "ENOENT":
    case "ENOTDIR":
    case "EEXIST":
      return `${dataDir} cannot be the data directory: choose another with --data-dir`;
    case "ENOSPC":
    case "EDQUOT":
      return fullDisk(dataDir);
    case "EIO":
      return `the disk of ${dataDir} fails: see the system's log, and choose another directory with --data-dir`;
    case "EROFS":
      return `${dataDir} is on a read-only disk: choose another with --data-dir`;
    default:
      return undefined;
  }
}

function fullDisk(dataDir: string): string {
  return `Parley cannot start: the disk of ${dataDir} is full, and turns that an earlier run left open could not be closed: free some space, then start again`;
}

/** Makes one clear line of what kept the server from starting; a defect stays what it is. */
export function startProblem(thrown: unknown, settings: Settings): unknown {
  if (thrown instanceof AlreadyRunning) return new CliError(thrown.message, EXIT.failed, thrown);
  if (isParleyError(thrown)) {
    const message = thrown.code === "disk_full" ? fullDisk(settings.dataDir) : thrown.message;
    return new CliError(message, ASKED_WRONGLY.has(thrown.code) ? EXIT.usage : EXIT.failed, thrown);
  }
  const code = systemCodeOf(thrown);
  if (code === undefined) return thrown;
  const known = systemProblem(code, settings);
  return new CliError(known ? `${known} (${messageOf(thrown)})` : messageOf(thrown), EXIT.failed, thrown);
}
