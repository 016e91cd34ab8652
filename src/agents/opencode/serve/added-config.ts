import { isFields } from "../../../core/json/fields.ts";
import { parseJsonc } from "../../../host/files/jsonc-file.ts";

/** Language servers and formatters are programs that a project brings. */
const CAREFUL = { lsp: false, formatter: false } as const;

export interface Additions {
  /** Nothing of a project runs. */
  careful: boolean;
  /** Addresses of plugins. */
  plugins: readonly string[];
}

/**
 * The configuration of a server as a variable gives it: that of the user's environment, with what Parley adds to it. Undefined where there is nothing to add. Rejects
 * where the user's cannot be read: what is in it would be lost.
 */
export async function addedConfig(
  already: string | undefined,
  { careful, plugins }: Additions,
): Promise<string | undefined> {
  if (!careful && plugins.length === 0) return undefined;
  const { value, problem } = already ? await parseJsonc(already) : { value: {} };
  if (!isFields(value) || problem)
    throw new Error(`OPENCODE_CONFIG_CONTENT is no configuration: ${problem ?? "it is no object"}`);
  const { plugin: own } = value;
  const plugin = [...(Array.isArray(own) ? own : []), ...plugins];
  return JSON.stringify({ ...value, ...(plugins.length > 0 ? { plugin } : {}), ...(careful ? CAREFUL : {}) });
}
