import { isFields } from "../../../core/json/fields.ts";
import { parseJsonc } from "../../../host/files/jsonc-file.ts";

export interface Additions {
  /** Language servers and formatters are programs that the project brings. */
  careful?: boolean;
  /** Addresses of plugins. */
  plugins?: readonly string[];
}

/**
 * The configuration that is given by a variable, with what Parley adds to what is in it already. Undefined where there is nothing to add. Rejects where it cannot be
 * read: what is in it would be lost.
 */
export async function configContent(already: string | undefined, added: Additions): Promise<string | undefined> {
  const { careful = false, plugins = [] } = added;
  if (plugins.length === 0 && !careful) return undefined;
  const { value, problem } = already ? await parseJsonc(already) : { value: {} };
  if (!isFields(value) || problem)
    throw new Error(`OPENCODE_CONFIG_CONTENT is no configuration: ${problem ?? "it is no object"}`);
  return JSON.stringify({
    ...value,
    ...(plugins.length > 0 ? { plugin: [...(Array.isArray(value.plugin) ? value.plugin : []), ...plugins] } : {}),
    ...(careful ? { lsp: false, formatter: false } : {}),
  });
}
