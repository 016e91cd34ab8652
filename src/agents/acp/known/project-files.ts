import type { ProjectSetting } from "../../../core/trust.ts";
import { type KeysOf, levelsOf, settingsAt } from "../../project-files.ts";
import { KNOWN } from "./known.ts";

/** The files of all known agents, for an agent of which nothing is known. */
export const ALL_FILES: readonly string[] = [...new Set(KNOWN.flatMap(({ files }) => files ?? []))].sort();

const NO_KEYS: KeysOf = () => undefined;

/**
 * The files and folders of a project from which an ACP agent may run something, by a look at their names alone. Agents look in the directory and above it, up to the
 * repository's root.
 */
export async function projectFiles(
  directory: string,
  home: string | undefined,
  files: readonly string[] = ALL_FILES,
): Promise<ProjectSetting[]> {
  const levels = await levelsOf(directory, home);
  const looks = levels.flatMap((level) =>
    files.map((file) => ({ path: `${level}/${file}`, keysOf: file.endsWith("/") ? undefined : NO_KEYS })),
  );
  return settingsAt(directory, looks);
}
