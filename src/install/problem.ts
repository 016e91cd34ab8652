/** Why an installation failed: what a person, or a test that can do without, must be able to tell apart. */
export type InstallProblemKind =
  /** There is no npm. */
  | "no_npm"
  /** The registry cannot be reached. */
  | "network"
  /** The registry refuses, or does not have it. */
  | "registry"
  /** The disk is full or may not be written to. */
  | "disk"
  /** The program that was installed does not run here. */
  | "unusable"
  /** Somebody asked to stop. */
  | "stopped"
  | "other";

export class InstallProblem extends Error {
  readonly kind: InstallProblemKind;

  constructor(kind: InstallProblemKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "InstallProblem";
    this.kind = kind;
  }
}

const NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|FETCH_ERROR|E5\d\d)\b|network|socket hang up/i;
const CERTIFICATE = /\b(CERT_\w+|SELF_SIGNED\w*|UNABLE_TO_\w*CERT\w*|DEPTH_ZERO\w*)\b/;
const REFUSED = /\b(E401|E403|E407|EOTP|ENEEDAUTH)\b/;
const ABSENT = /\b(E404|ETARGET|ENOVERSIONS)\b/;
const DISK = /\b(ENOSPC|EACCES|EPERM|EROFS|EDQUOT)\b/;

/** Makes a problem of what npm said. Its first lines are kept, because they know more than any summary. */
export function npmProblem(wanted: string, said: string): InstallProblem {
  const lines = said
    .split("\n")
    .map((line) => line.replace(/^npm (error|ERR!) ?/, "").trim())
    .filter((line) => line !== "" && !/^npm (warn|notice)|complete log of this run|_logs/i.test(line))
    .slice(0, 4);
  const quoted = lines.map((line) => `  ${line}`).join("\n");
  const problem = (kind: InstallProblemKind, advice: string): InstallProblem =>
    new InstallProblem(kind, `${wanted} was not installed: ${advice}${quoted === "" ? "" : `\n${quoted}`}`);
  if (CERTIFICATE.test(said))
    return problem("network", 'npm does not trust its registry\'s certificate: see "npm config get cafile"');
  if (REFUSED.test(said)) return problem("registry", 'npm\'s registry wants a login: see "npm login" and ~/.npmrc');
  if (ABSENT.test(said)) return problem("registry", "npm's registry does not have it: choose another with --version");
  if (DISK.test(said)) return problem("disk", "its files could not be written: look for free space and permissions");
  const unreached = 'npm could not reach its registry: see that the network and "npm ping" work, then repeat';
  return NETWORK.test(said) ? problem("network", unreached) : problem("other", "npm failed");
}
