import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type LoadedConfig, loadConfig } from "./config/load.ts";
import type { Layer, Settings } from "./config/settings.ts";
import { type CliError, systemCodeOf, usageError } from "./exit.ts";
import { tell } from "./tell.ts";

/** Takes secrets out of the environment, which agents and other programs inherit. */
export function hideSecrets({ databaseUrl }: Pick<Settings, "databaseUrl">): void {
  // An agent could answer its own permissions by it.
  delete process.env.PARLEY_TOKEN;
  // And change what is stored by these.
  delete process.env.PARLEY_DATABASE;
  delete process.env.PARLEY_DATABASE_LISTEN;
  if (databaseUrl !== undefined) delete process.env.PGPASSWORD;
}

/** Loads the configuration for a command, and tells what of it was ignored. */
export async function configure(flags: Layer, directory: string = process.cwd()): Promise<LoadedConfig> {
  const loaded = await loadConfig({ flags, env: process.env, home: homedir(), directory });
  hideSecrets(loaded.settings);
  const { dataDir } = loaded.settings;
  // Node tries for ever to make a directory there.
  if (/^\/proc(?:\/|$)/.test(dataDir)) {
    throw usageError(
      `the data directory ${dataDir} lies in /proc, which keeps nothing: choose another with --data-dir`,
    );
  }
  for (const warning of loaded.warnings) tell(`warning: ${warning}`);
  return loaded;
}

/** The directories that a server is limited to: each must be there. A list of none says nothing. */
export function rootsOf({ roots = [] }: Pick<Settings, "roots">): string[] | undefined {
  return roots.length === 0 ? undefined : roots.map((root) => existing(root, "roots (--root, PARLEY_ROOTS)"));
}

/** One spelling for one directory, so that a session is found again whichever way its directory was named. */
function existing(given: string | undefined, label: string): string {
  const path = resolve(given ?? ".");
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (thrown) {
    if (["EACCES", "EPERM"].includes(systemCodeOf(thrown) ?? "")) throw unreadable(path, label);
    throw usageError(`${label}: there is no directory ${path}`);
  }
  throw usageError(`${label}: expected a directory, got the file ${path}`);
}

function unreadable(path: string, label: string): CliError {
  return usageError(`${label}: you may not read ${path}: see whom it belongs to, and its permissions`);
}

/** A directory to work in: it is there, and may be read. */
export function directoryOf(given: string | undefined, label = "--dir"): string {
  const path = existing(given, label);
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return path;
  } catch {
    throw unreadable(path, label);
  }
}
