import { trustCommand } from "../../core/trust.ts";
import type { ConfigFile } from "./schema.ts";

type Key = keyof ConfigFile;

/** What any project may say: it picks among what the user has, and changes nothing that lasts. */
const FREE: ReadonlySet<Key> = new Set<Key>([
  "$schema",
  "port",
  "defaultAgent",
  "unattended",
  "askDeadline",
  "idleClose",
  "logLevel",
]);

/** Never from a project: one is a secret, the other would let a project trust itself. */
const NEVER: ReadonlySet<Key> = new Set<Key>(["token", "trust"]);

const WHY_NEVER: Readonly<Record<string, string>> = {
  token: "a token belongs to a user, not into a project; use PARLEY_TOKEN, --token-file or the user's configuration",
  trust: "only the user's own configuration says what is trusted",
};

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
): { config: ConfigFile; refused: Refused[] } {
  const refused: Refused[] = [];
  const kept = Object.entries(config).filter(([name, value]) => {
    const key = name as Key;
    if (NEVER.has(key)) refused.push({ key, why: WHY_NEVER[key] ?? "" });
    else if (trusted || (FREE.has(key) && !(key === "unattended" && value === "allow"))) return true;
    else refused.push({ key, why: `the project is not trusted; to allow it: ${trustCommand(project)}` });
    return false;
  });
  return { config: Object.fromEntries(kept) as ConfigFile, refused };
}
