import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Fields, fieldsIn, isFields, jsonIn, textIn } from "../../core/json/fields.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The place of a credential, never the credential itself. */
export interface CredentialPlace {
  kind: "variable" | "file";
  /** The variable's name, or the file's path. */
  name: string;
}

/** The program's own directory: its settings, its login, its sessions. */
export function codexHome(env: Environment): string {
  return env.CODEX_HOME || join(env.HOME ?? homedir(), ".codex");
}

function hasLogin(file: Fields): boolean {
  const tokens = fieldsIn(file, "tokens");
  return Boolean(textIn(file, "OPENAI_API_KEY") || textIn(tokens, "access_token") || textIn(tokens, "refresh_token"));
}

/** A line of the configuration before its first table: `name = "value"`. */
function topLevel(config: string, name: string): string | undefined {
  const [top = ""] = config.split(/^\s*\[/m, 1);
  return new RegExp(`^\\s*${name}\\s*=\\s*"([^"]+)"`, "m").exec(top)?.[1];
}

/** The lines of a table of the configuration. */
function table(config: string, name: string): string {
  const from = config.split(/^\s*(?=\[)/m).find((part) => part.startsWith(`[${name}]`));
  return from ?? "";
}

/** A provider of the user's own with a variable for its key, as the configuration chooses it. Reading it takes no library: only these two lines count. */
function providerVariable(config: string): string | undefined {
  const provider = topLevel(config, "model_provider");
  if (provider === undefined || provider === "openai") return undefined;
  const own = table(config, `model_providers.${provider}`) || table(config, `model_providers."${provider}"`);
  return /^\s*env_key\s*=\s*"([^"]+)"/m.exec(own)?.[1];
}

/**
 * Whether a login or a key of Codex is there, without running it. The program's server uses its login file, and the variable that a provider of the configuration
 * names; it does not use OPENAI_API_KEY or CODEX_API_KEY.
 */
export async function findCredentials(env: Environment): Promise<CredentialPlace | undefined> {
  const home = codexHome(env);
  const login = join(home, "auth.json");
  const file = jsonIn(await readFile(login, "utf8").catch(() => ""));
  if (isFields(file) && hasLogin(file)) return { kind: "file", name: login };
  const config = await readFile(join(home, "config.toml"), "utf8").catch(() => "");
  const variable = providerVariable(config);
  return variable !== undefined && env[variable] ? { kind: "variable", name: variable } : undefined;
}
