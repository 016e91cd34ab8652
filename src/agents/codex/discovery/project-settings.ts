import { join } from "node:path";
import { fieldsIn, isFields, jsonIn } from "../../../core/json/fields.ts";
import type { ProjectSetting } from "../../../core/trust.ts";
import { type KeysOf, levelsOf, settingsAt } from "../../project-files.ts";
import { keysOfConfig } from "./config-keys.ts";

/** The events of a file of hooks, such as `hooks.Stop`. */
export function keysOfHooks(text: string): string[] | undefined {
  const file = jsonIn(text.replace(/^\ufeff/, ""));
  return isFields(file) ? Object.keys(fieldsIn(file, "hooks")).map((event) => `hooks.${event}`) : undefined;
}

const FILES: readonly (readonly [path: string, keysOf: KeysOf])[] = [
  [".codex/config.toml", keysOfConfig],
  [".codex/hooks.json", keysOfHooks],
  ["AGENTS.md", () => undefined],
  ["AGENTS.override.md", () => undefined],
];
const FOLDERS = [".codex/rules", ".codex/agents"];

/**
 * The settings that the program takes from a project only where it is trusted, in the directory and those above up to the repository's root. Skills are not among
 * them: the program lists a project's skills in any case, and they are words.
 */
export async function projectSettings(directory: string, home?: string): Promise<ProjectSetting[]> {
  const looks = (await levelsOf(directory, home)).flatMap((level) => {
    // In the home directory `.codex` is the user's own.
    const projects = (path: string): boolean => level !== home || !path.startsWith(".codex/");
    return [
      ...FILES.filter(([path]) => projects(path)).map(([path, keysOf]) => ({ path: join(level, path), keysOf })),
      ...FOLDERS.filter(projects).map((path) => ({ path: join(level, path), keysOf: undefined })),
    ];
  });
  return settingsAt(directory, looks);
}
