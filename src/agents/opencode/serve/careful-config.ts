import { isFields } from "../../../core/json/fields.ts";
import { parseJsonc } from "../../../host/files/jsonc-file.ts";

/** Language servers and formatters are programs that a project brings. */
const CAREFUL = { lsp: false, formatter: false } as const;

/**
 * The configuration of a server for directories that are not trusted, as a variable gives it: that of the user's environment, with what Parley adds to it. Rejects
 * where the user's cannot be read: what is in it would be lost.
 */
export async function carefulConfig(already: string | undefined): Promise<string> {
  const { value, problem } = already ? await parseJsonc(already) : { value: {} };
  if (!isFields(value) || problem)
    throw new Error(`OPENCODE_CONFIG_CONTENT is no configuration: ${problem ?? "it is no object"}`);
  return JSON.stringify({ ...value, ...CAREFUL });
}
