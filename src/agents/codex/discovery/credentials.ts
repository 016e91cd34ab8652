import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Fields, fieldsIn, isFields, jsonIn, textIn } from "../../../core/json/fields.ts";

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

/** The text settings of the configuration by their whole names. Lines that go on in the next one are not read: the settings that count here are short. */
function textsOf(config: string): Map<string, string> {
  const texts = new Map<string, string>();
  let table = "";
  for (const line of config.split(/\r?\n/)) {
    const [, head, name, , text] = /^\s*(?:\[([^[\]]+)\]|([\w."'-]+)\s*=\s*(["'])(.*?)\3)\s*(?:#.*)?$/.exec(line) ?? [];
    if (head !== undefined) table = `${head.trim()}.`;
    else if (/^\s*\[/.test(line)) table = "?.";
    else if (name !== undefined && text !== undefined) texts.set(`${table}${name}`.replaceAll(/["']/g, ""), text);
  }
  return texts;
}

/** The variable with the key of a provider that the user has added and chosen. */
function providerVariable(config: string): string | undefined {
  const texts = textsOf(config);
  return texts.get(`model_providers.${texts.get("model_provider")}.env_key`);
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
