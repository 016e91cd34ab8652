import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { PermissionRule as UniversalRule } from "../../../core/events/values.ts";
import { openInside } from "../../../host/files/open-inside.ts";
import type { Surface } from "../context.ts";
import { projectOf } from "../workspace/project.ts";
import { configuredRules, merged, type PermissionConfig, permissionConfig } from "./configured-rules.ts";
import { rulesFrom } from "./permission-rules.ts";

const MAX_BYTES = 256 * 1024;
const NAMES = ["opencode.json", "opencode.jsonc"];
const USERS = ["config.json", ...NAMES];

type Warn = (file: string, reason: string) => void;

/** The `permission` of a configuration's text; none where it cannot be read. */
async function permissionIn(text: string | undefined, file: string, warn: Warn): Promise<PermissionConfig> {
  if (text === undefined || !text.includes("permission")) return {};
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const errors: Parameters<typeof parse>[1] = [];
  const { permission = {} } = (parse(text, errors, { allowTrailingComma: true }) ?? {}) as { permission?: unknown };
  const [broken] = errors ?? [];
  if (broken) {
    warn(file, `it is no JSON: ${printParseErrorCode(broken.error)} at character ${broken.offset}`);
    return {};
  }
  const { data, error } = permissionConfig.safeParse(permission);
  if (error) warn(file, `expected "allow", "ask" or "deny" for a tool or for its patterns: ${error.message}`);
  return data ?? {};
}

async function userText(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

async function projectText(directory: string, name: string): Promise<string | undefined> {
  const handle = await openInside(directory, name, "read").catch(() => undefined);
  if (!handle) return undefined;
  try {
    return (await handle.stat()).size > MAX_BYTES ? undefined : await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** The directories from the root of the checkout down to this one. Outside of a repository it is this one alone. */
function placesOf(directory: string): string[] {
  const { root, vcs } = projectOf(directory);
  const places = [directory];
  for (let at = directory; vcs && at !== root && at !== dirname(at); ) {
    at = dirname(at);
    places.unshift(at);
  }
  return places;
}

/** The rules that OpenCode's configuration has for a new session: the user's, then the project's as far as it is trusted. */
export async function rulesOfConfig({ gateway, logger }: Surface, directory: string): Promise<UniversalRule[]> {
  const warn: Warn = (file, reason) =>
    logger.warn({ file, reason }, "the permissions of an OpenCode configuration cannot be read");
  const home = join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "opencode");
  const texts: [file: string, text: Promise<string | undefined>][] = USERS.map((name) => [
    join(home, name),
    userText(join(home, name)),
  ]);
  const ofProject = placesOf(directory).flatMap((place) =>
    ["", ".opencode/"].flatMap((folder) =>
      NAMES.map((name): [string, Promise<string | undefined>] => [
        join(place, folder, name),
        projectText(place, `${folder}${name}`),
      ]),
    ),
  );
  const all = async (files: readonly (readonly [string, Promise<string | undefined>])[]): Promise<PermissionConfig> => {
    let config: PermissionConfig = {};
    for (const [file, text] of files) config = merged(config, await permissionIn(await text, file, warn));
    return config;
  };
  const [user, project] = [await all(texts), await all(ofProject)];
  const { rules, leftOut } = configuredRules(user, project, gateway.trust.trusts(directory));
  if (leftOut.length > 0) {
    const why = "permissions of opencode.json that loosen are left out: the directory is not trusted (parley trust)";
    logger.warn({ directory, rules: leftOut }, why);
  }
  return rulesFrom(rules);
}
