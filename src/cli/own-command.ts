import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The script of a checkout; the package does not have it. */
const SCRIPT = fileURLToPath(new URL("../../parley", import.meta.url));

/** A path as a shell reads it back. */
export function quoted(path: string): string {
  return /^[\w./:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

export interface Place {
  /** The script of the checkout, if there is one. */
  script?: string;
  directory: string;
  /** npm's name of its command, if npm runs us. */
  npmCommand?: string;
}

const here = (): Place => ({
  ...(existsSync(SCRIPT) ? { script: SCRIPT } : {}),
  directory: process.cwd(),
  ...(process.env.npm_command ? { npmCommand: process.env.npm_command } : {}),
});

/**
 * The words that run this same parley again. npx gets the name of the package: the package that is named like the
 * command belongs to somebody else.
 */
export function ownCommand({ script, directory, npmCommand }: Place = here()): string {
  if (script !== undefined) return dirname(script) === directory ? "./parley" : quoted(script);
  return npmCommand === "exec" ? "npx parley-agents" : "parley";
}
