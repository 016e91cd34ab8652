import { trustCommand } from "../../core/trust.ts";
import type { ConfigFile } from "./schema.ts";
import { SETTINGS, type Table } from "./table.ts";

export interface Refused {
  key: string;
  why: string;
}

/**
 * A project's file comes with whatever was cloned, so it must not run a command, open the port to others, move or prune the
 * user's data or answer permissions, unless the user has said that the directory is trusted.
 */
export function limitProject(
  config: ConfigFile,
  trusted: boolean,
  project: string,
  table: Table = SETTINGS,
): { config: ConfigFile; refused: Refused[] } {
  const refused: Refused[] = [];
  const kept = Object.entries(config).filter(([key, value]) => {
    if (key === "$schema") return true;
    const { file, trustedValue, userValue, why } = table[key] ?? {};
    if (file === "user" || userValue?.(value)) refused.push({ key, why: why ?? "" });
    else if (trusted || (file === "any" && value !== trustedValue)) return true;
    else refused.push({ key, why: `the project is not trusted; to allow it: ${trustCommand(project)}` });
    return false;
  });
  return { config: Object.fromEntries(kept), refused };
}
