import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Fields, fieldsIn, isFields, jsonIn, listIn, textIn } from "../../../core/json/fields.ts";
import { homeOf } from "../../../credentials/places.ts";
import { opencodeStores } from "../../../credentials/stores.ts";
import { parseJsonc } from "../../../host/files/jsonc-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The program's own directories of the user. */
function directoryOf(env: Environment, variable: string, usual: string): string {
  return join(env[variable] || join(homeOf(env), usual), "opencode");
}

const stateOf = (env: Environment): string => directoryOf(env, "XDG_STATE_HOME", ".local/state");
const configOf = (env: Environment): string => directoryOf(env, "XDG_CONFIG_HOME", ".config");

const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

async function fieldsOf(text: string): Promise<Fields> {
  const { value } = text === "" ? {} : await parseJsonc(text);
  return isFields(value) ? value : {};
}

/** The models that the user chose last in the program, newest first. */
export async function recentModels(env: Environment): Promise<string[]> {
  const state = jsonIn(await textOf(join(stateOf(env), "model.json")));
  if (!isFields(state)) return [];
  return listIn(state, "recent").flatMap((one) => {
    const [provider, model] = [textIn(one, "providerID"), textIn(one, "modelID")];
    return provider && model ? [`${provider}/${model}`] : [];
  });
}

function hasKey(config: Fields): boolean {
  return Object.values(fieldsIn(config, "provider")).some(
    (provider) => isFields(provider) && Boolean(textIn(fieldsIn(provider, "options"), "apiKey")),
  );
}

/** Whether the user has logged in to a provider, or has one with a key in the configuration, by a look at files alone. */
export async function hasCredentials(env: Environment): Promise<boolean> {
  for (const { credentials } of opencodeStores(env)) {
    if (credentials.some(({ readBy }) => readBy.includes("opencode"))) return true;
  }
  const files = ["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(configOf(env), name));
  const texts = await Promise.all([...files, ...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : [])].map(textOf));
  const configs = await Promise.all([...texts, env.OPENCODE_CONFIG_CONTENT ?? ""].map(fieldsOf));
  return configs.some(hasKey);
}
