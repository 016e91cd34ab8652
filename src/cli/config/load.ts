import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { systemCodeOf, usageError } from "../exit.ts";
import { hasPassword, withPasswords } from "./database-password.ts";
import { environmentLayer, fileLayer } from "./layers.ts";
import {
  defaultDataDir,
  type Environment,
  expandPath,
  PROJECT_FILES,
  projectDirectories,
  projectOf,
  trustFile,
  userConfigFile,
} from "./paths.ts";
import type { ConfigFile } from "./schema.ts";
import { defaultSettings, type Layer, mergeSettings, resolved, type Settings } from "./settings.ts";

export interface Sources {
  flags: Layer;
  env: Environment;
  home: string;
  /** Where the search for the project's file begins. */
  directory: string;
}

export interface LoadedConfig {
  settings: Settings;
  /** Whether a flag, a variable or a file chose the port. */
  portChosen: boolean;
  files: { path: string; level: "user" | "project"; trusted?: boolean; keys?: string[] }[];
  warnings: string[];
}

const MAX_BYTES = 1_000_000;

/** A pipe or a device by the file's name would be waited for without end. */
function readFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile()) throw new Error("it is not a file");
    if (size > MAX_BYTES) throw new Error(`expected at most ${MAX_BYTES} bytes, got ${size}`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Undefined where there is no file. The parser and the schema are imported only for one: most starts have none. */
async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  let text: string;
  try {
    text = readFile(path);
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(systemCodeOf(thrown) ?? "")) return undefined;
    throw usageError(`${path}: the configuration cannot be read: ${messageOf(thrown)}`);
  }
  const { readConfig } = await import("./read-file.ts");
  return readConfig(text, path);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function findProjectFile({ directory, home }: Sources): string | undefined {
  const real = realPath(home);
  const directories = projectDirectories(realPath(directory), real, (at) => existsSync(join(at, ".git")));
  for (const at of directories) {
    const found = PROJECT_FILES.map((name) => join(at, name)).find((path) => existsSync(path));
    if (found) return found;
  }
  return undefined;
}

/** A mistake in a file that came with a clone must not keep its user from working there. */
async function readProjectFile(path: string, trusted: boolean, warnings: string[]): Promise<ConfigFile | undefined> {
  try {
    return await readConfigFile(path);
  } catch (thrown) {
    if (trusted) throw thrown;
    warnings.push(
      `a project's file was ignored, because it has a mistake and the project is not trusted: ${messageOf(thrown)}`,
    );
    return undefined;
  }
}

function othersCanRead(path: string): boolean {
  return process.platform !== "win32" && (statSync(path).mode & 0o044) !== 0;
}

function secretIn({ token, database, databaseListen }: ConfigFile): string | undefined {
  if (token !== undefined) return "token";
  return [database, databaseListen].some((url) => typeof url === "string" && hasPassword(url)) ? "password" : undefined;
}

/** Flags beat the environment, which beats the project's file, which beats the user's, which beats the defaults. */
export async function loadConfig(sources: Sources): Promise<LoadedConfig> {
  const { flags, env, home } = sources;
  const files: LoadedConfig["files"] = [];
  const warnings: string[] = [];

  const userFile = userConfigFile(env, home);
  const user = await readConfigFile(userFile);
  if (user) files.push({ path: userFile, level: "user" });
  const secret = user && secretIn(user);
  if (secret !== undefined && othersCanRead(userFile)) {
    warnings.push(`${userFile} holds a ${secret} and others can read it: chmod 600 it`);
  }

  const projectFile = findProjectFile(sources);
  const { trusted: configured = [], ...userLayer } = fileLayer(user ?? {}, userFile, home);
  const trust = { file: trustFile(env, home), configured: configured.map(realPath) };
  let project: ConfigFile = {};
  if (projectFile !== undefined) {
    const [{ TrustStore }, { limitProject }] = await Promise.all([
      import("../../server/trust/trust-store.ts"),
      import("./trust.ts"),
    ]);
    const root = projectOf(projectFile);
    const store = new TrustStore({ ...trust, warn: (message) => void warnings.push(message) });
    const trusted = store.covering(root) !== undefined;
    const said = await readProjectFile(projectFile, trusted, warnings);
    const limited = limitProject(said ?? {}, trusted, root);
    project = limited.config;
    const keys = Object.keys(project).filter((key) => key !== "$schema");
    files.push({ path: projectFile, level: "project", trusted, keys });
    for (const { key, why } of limited.refused) warnings.push(`${projectFile}: "${key}" was ignored: ${why}`);
  }

  const layers = [flags, environmentLayer(env), fileLayer(project, projectFile ?? "", home), userLayer];
  const merged = mergeSettings(defaultSettings(defaultDataDir(env, home)), layers);
  const paths = resolved(merged, (path) => expandPath(path, home, process.cwd()));
  const settings = { ...withPasswords(paths, env.PGPASSWORD), trust };
  return { settings, portChosen: layers.some((layer) => layer.port !== undefined), files, warnings };
}
