/** A problem that people can do something about: its message is all they need. */
export class SetupProblem extends Error {}

const PROXY = "HTTPS_PROXY, HTTP_PROXY, or proxy and https-proxy of npm's configuration";

/** The codes of npm and of the system, with what to do. The first that fits counts. */
const REASONS = [
  [/\b407\b|proxy authentication|ERR_INVALID_PROXY|tunneling socket|EPROXY/i, `the proxy refused npm: see ${PROXY}`],
  [
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT)\b/,
    `npm could not reach its registry: see that this machine is online, and ${PROXY}; set-up needs the network once`,
  ],
  [/\bENOTCACHED\b/, "npm is told to be offline, and its cache lacks a package: unset offline for the first start"],
  [
    /\b(EROFS|EACCES|EPERM)\b/,
    "this checkout, or npm's cache, may not be written: set it up once as a user who may write it",
  ],
  [/\b(ENOSPC|EDQUOT)\b/, "the disk is full: a set-up needs about 500 MB"],
  [/\bEUSAGE\b/, "package-lock.json does not fit package.json: take both from the same commit"],
  [/\b(E401|E403|ENEEDAUTH)\b/, "npm's registry refused a package: see the login of npm's configuration"],
  [/\b(E404|ETARGET)\b/, "npm's registry does not have a package: see registry of npm's configuration"],
  [/\bEINTEGRITY\b/, "a package is not the one of package-lock.json: npm cache clean --force, and begin again"],
  [
    /\b(UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_\w+)\b/,
    "the registry's certificate is unknown: see cafile of npm's configuration",
  ],
];

/** npm's own words about its failure, without its remarks on where else to look. */
function ownWords(text) {
  return text
    .split("\n")
    .filter((line) => /^npm (error|ERR!)/.test(line) && !/complete log|debug-\d/.test(line))
    .slice(0, 4);
}

export function npmProblem({ args, log, text, end }) {
  if (end === "ENOENT") return new SetupProblem("there is no npm in the search path: install one; it comes with Node");
  const [, reason = "npm says why in its log"] =
    REASONS.find(([pattern]) => pattern.test(ownWords(text).join("\n"))) ?? [];
  const lines = [`npm ${args[0]} failed (${end}): ${reason}`, ...ownWords(text).map((line) => `  ${line}`)];
  return new SetupProblem([...lines, `all that npm said is in ${log}`].join("\n"));
}

/** A file of the checkout could not be written. */
export function writeProblem(thrown) {
  const code = thrown.code ?? "";
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  return reason === undefined ? thrown : new SetupProblem(`set-up failed: ${reason} (${thrown.message})`);
}
