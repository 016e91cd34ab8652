import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { isFields, wordOf } from "../../../core/json/fields.ts";
import type { ProjectSetting } from "../../../core/trust.ts";
import { allLevelsOf, type KeysOf, type Look, levelsOf, settingsAt } from "../../project-files.ts";

/** Settings whose names say nothing without the name of the thing in them, such as `mcp.db`. */
const NAMED = new Set(["agent", "command", "mcp", "mode", "permission", "plugin", "provider", "formatter", "lsp"]);

/** The settings of a configuration that a comment or a comma too many does not hide. */
export function keysOfConfig(text: string): string[] | undefined {
  const config = looseJson(text);
  if (!isFields(config)) return undefined;
  return Object.entries(config).flatMap(([key, value]) => {
    if (key === "$schema") return [];
    if (!NAMED.has(key)) return [key];
    if (Array.isArray(value)) return value.map((one) => `${key}.${wordOf(one)}`);
    return isFields(value) ? Object.keys(value).map((name) => `${key}.${name}`) : [key];
  });
}

/** JSON whose comments and last commas are taken out. Undefined where it is no such text. */
function looseJson(text: string): unknown {
  const bare = text
    .replace(/^\ufeff/, "")
    .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, kept?: string) => kept ?? " ")
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, kept?: string) => kept ?? "");
  try {
    return JSON.parse(bare);
  } catch {
    return undefined;
  }
}

const NO_KEYS: KeysOf = () => undefined;
const CONFIGS = ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"];
const INSTRUCTIONS = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];
const KINDS = ["agent", "command", "mode", "plugin", "skill", "tool"];
const FOLDERS = [
  ...KINDS.flatMap((kind) => [`.opencode/${kind}`, `.opencode/${kind}s`]),
  ".claude/skills",
  ".agents/skills",
];
/** The names that are looked for. */
interface Names {
  instructions: readonly string[];
  folders: readonly string[];
}

const ALL: Names = { instructions: INSTRUCTIONS, folders: FOLDERS };
/** Those that may bring plugins, which each prompt looks for. */
const OF_PLUGINS: Names = { instructions: [], folders: FOLDERS.filter((path) => /\/plugins?$/.test(path)) };

/** In the home directory these are the user's own. */
const USERS = /^\.(?:opencode|claude|agents)\//;

const looksAt = (level: string, paths: readonly string[], keysOf: KeysOf | undefined): Look[] =>
  paths.map((path) => ({ path: join(level, path), keysOf }));

function looksIn(levels: readonly string[], home: string | undefined, { instructions, folders }: Names): Look[] {
  return levels.flatMap((level) => {
    const projects = (path: string): boolean => level !== home || !USERS.test(path);
    return [
      ...looksAt(level, CONFIGS.filter(projects), keysOfConfig),
      ...looksAt(level, instructions, NO_KEYS),
      ...looksAt(level, folders.filter(projects), undefined),
    ];
  });
}

/** The settings that the program would take from a project, in the directory and those above up to the repository's root. Parley has it leave all of them out where the directory is not trusted. */
export async function projectSettings(directory: string, home?: string): Promise<ProjectSetting[]> {
  return settingsAt(directory, looksIn(await levelsOf(directory, home), home, ALL));
}

/**
 * The same, with the settings of all directories above. The program asks git where a repository ends, and a `.git` that git does not take for one, or whose own
 * settings name another directory, ends nothing. Instructions above the repository's root are left out: they run nothing.
 */
export async function reachableSettings(directory: string, home?: string, names = ALL): Promise<ProjectSetting[]> {
  const realHome = home === undefined ? undefined : realpath(home).catch(() => home);
  const [near, ...homes] = await Promise.all([levelsOf(directory, home), home, realHome]);
  const known = homes.filter((one) => one !== undefined);
  const above = allLevelsOf(directory, known).filter((level) => !near.includes(level));
  const further = above.flatMap((level) => [
    ...looksAt(level, CONFIGS, keysOfConfig),
    ...looksAt(level, names.folders, undefined),
  ]);
  return settingsAt(directory, [...looksIn(near, home, names), ...further]);
}

/** Those of the reachable settings that may bring plugins. */
export function reachablePlugins(directory: string, home?: string): Promise<ProjectSetting[]> {
  return reachableSettings(directory, home, OF_PLUGINS);
}
