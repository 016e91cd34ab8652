/** A file or a folder of a project that is used only where the user trusts the project's directory. */
export interface ProjectSetting {
  /** From the session's directory; absolute where it lies above it. */
  path: string;
  /** The settings in it by their names, as far as it could be read. */
  keys?: string[];
  /** The agent cannot leave it out: without trust the agent is not started. */
  stopsAgent?: true;
}

/** A directory that the user trusts, and where that is written. */
export interface TrustedDirectory {
  directory: string;
  /** `configuration`: the user wrote it there, and takes it out there. */
  source: "configuration" | "command";
}

/** Whether the user trusts a directory, and what depends on it. */
export interface TrustInfo {
  directory: string;
  trusted: boolean;
  /** The trusted directory that it is or lies in. */
  by?: string;
  /** The settings that are used only where it is trusted, with the agent that leaves them out; `parley` for those that no agent would see. */
  settings: (ProjectSetting & { agent: string })[];
  /** Why one should think twice before trusting it. */
  warning?: string;
}

const MAX_SETTINGS = 12;
const MAX_KEYS = 8;
const MAX_NAME = 60;

/** The trusted directory that a directory is or lies in. All paths are absolute, with links resolved. */
export function coveredBy(directory: string, trusted: readonly string[]): string | undefined {
  return trusted.find((path) => directory === path || directory.startsWith(path.endsWith("/") ? path : `${path}/`));
}

/** A name from a file of unknown origin, fit to show: one short line without control characters. */
function shownName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > MAX_NAME ? `${line.slice(0, MAX_NAME - 1)}…` : line;
}

function shownList(names: readonly string[], max: number): string {
  const more = names.length > max ? `, and ${names.length - max} more` : "";
  return names.slice(0, max).join(", ") + more;
}

/** Settings in one line, such as `.claude/settings.json (hooks.Stop, env.PATH), .mcp.json (db)`. */
export function shownSettings(settings: readonly ProjectSetting[]): string {
  const shown = settings.map(({ path, keys = [] }) => {
    const names = keys.map(shownName);
    return names.length === 0 ? shownName(path) : `${shownName(path)} (${shownList(names, MAX_KEYS)})`;
  });
  return shownList(shown, MAX_SETTINGS);
}

/** The command that trusts a directory, quoted for a POSIX shell. */
export function trustCommand(directory: string): string {
  const plain = /^[\w@%+=:,./-]+$/.test(directory);
  return `parley trust ${plain ? directory : `'${directory.replaceAll("'", "'\\''")}'`}`;
}

/** A warning against trusting a directory that holds too much; undefined for most directories. */
export function tooWide(directory: string, home: string): string | undefined {
  if (directory === "/") return "it is the root of this machine: everything on it would be trusted";
  if (coveredBy(home, [directory]) === undefined) return undefined;
  const which = directory === home ? "it is your home directory" : "your home directory lies in it";
  return `${which}: whatever is cloned there would be trusted`;
}
