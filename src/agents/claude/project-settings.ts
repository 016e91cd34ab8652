import { join } from "node:path";
import type { ProjectSetting } from "../../core/trust.ts";
import { type KeysOf, levelsOf, settingsAt } from "../project-files.ts";
import { keysOfServers, keysOfSettings } from "./settings-keys.ts";

/** Files that the program reads in the session's directory only. */
const OWN_FILES: readonly (readonly [path: string, keysOf: KeysOf])[] = [
  [".claude/settings.json", keysOfSettings],
  [".claude/settings.local.json", keysOfSettings],
];
/** Files and folders that it reads in the directories above as well. */
const FILES: readonly (readonly [path: string, keysOf: KeysOf])[] = [
  [".mcp.json", keysOfServers],
  ["CLAUDE.md", () => undefined],
  ["CLAUDE.local.md", () => undefined],
  [".claude/CLAUDE.md", () => undefined],
];
const FOLDERS = ["commands", "skills", "agents", "output-styles", "rules", "workflows"].map(
  (name) => `.claude/${name}`,
);

/** The settings that the program would take from a project. Files are only read; nothing of the project runs. */
export async function projectSettings(directory: string, home?: string): Promise<ProjectSetting[]> {
  const looks = (await levelsOf(directory, home)).flatMap((level) => {
    // In the home directory `.claude` is the user's own.
    const projects = (path: string): boolean => level !== home || !path.startsWith(".claude/");
    const files = level === directory ? [...OWN_FILES, ...FILES] : FILES;
    return [
      ...files.filter(([path]) => projects(path)).map(([path, keysOf]) => ({ path: join(level, path), keysOf })),
      ...FOLDERS.filter(projects).map((path) => ({ path: join(level, path), keysOf: undefined })),
    ];
  });
  return settingsAt(directory, looks);
}
