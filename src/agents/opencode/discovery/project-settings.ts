import { join } from "node:path";
import { isFields } from "../../../core/json/fields.ts";
import type { ProjectSetting } from "../../../core/trust.ts";
import { type KeysOf, levelsOf, settingsAt } from "../../project-files.ts";

/** Settings whose names say nothing without the name of the thing in them, such as `mcp.db`. */
const NAMED = new Set(["agent", "command", "mcp", "mode", "permission", "plugin", "provider", "formatter", "lsp"]);

/** The settings of a configuration that a comment or a comma too many does not hide. */
export function keysOfConfig(text: string): string[] | undefined {
  const config = looseJson(text);
  if (!isFields(config)) return undefined;
  return Object.entries(config).flatMap(([key, value]) => {
    if (key === "$schema") return [];
    if (!NAMED.has(key)) return [key];
    if (Array.isArray(value)) return value.map((one) => `${key}.${String(one)}`);
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
const FILES: readonly (readonly [path: string, keysOf: KeysOf])[] = [
  ["opencode.json", keysOfConfig],
  ["opencode.jsonc", keysOfConfig],
  [".opencode/opencode.json", keysOfConfig],
  [".opencode/opencode.jsonc", keysOfConfig],
  ["AGENTS.md", NO_KEYS],
  ["CLAUDE.md", NO_KEYS],
  ["CONTEXT.md", NO_KEYS],
];
const KINDS = ["agent", "command", "mode", "plugin", "skill", "tool"];
const FOLDERS = [
  ...KINDS.flatMap((kind) => [`.opencode/${kind}`, `.opencode/${kind}s`]),
  ".claude/skills",
  ".agents/skills",
];
/** In the home directory these are the user's own. */
const USERS = /^\.(?:opencode|claude|agents)\//;

/** The settings that the program would take from a project, in the directory and those above up to the repository's root. Parley has it leave all of them out where the directory is not trusted. */
export async function projectSettings(directory: string, home?: string): Promise<ProjectSetting[]> {
  const looks = (await levelsOf(directory, home)).flatMap((level) => {
    const projects = (path: string): boolean => level !== home || !USERS.test(path);
    return [
      ...FILES.filter(([path]) => projects(path)).map(([path, keysOf]) => ({ path: join(level, path), keysOf })),
      ...FOLDERS.filter(projects).map((path) => ({ path: join(level, path), keysOf: undefined })),
    ];
  });
  return settingsAt(directory, looks);
}
