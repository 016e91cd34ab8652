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

/** A provider that the user has added and chosen in Codex's configuration, and the variable with its key. */
export interface CodexProvider {
  provider: string;
  variable: string;
}

export function codexProvider(config: string): CodexProvider | undefined {
  const texts = textsOf(config);
  const provider = texts.get("model_provider");
  const variable = texts.get(`model_providers.${provider}.env_key`);
  return provider === undefined || variable === undefined ? undefined : { provider, variable };
}
