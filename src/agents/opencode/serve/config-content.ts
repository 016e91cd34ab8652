import { fieldsIn, isFields } from "../../../core/json/fields.ts";
import { parseJsonc } from "../../../host/files/jsonc-file.ts";
import type { McpServer } from "../../contract.ts";

/** Stands for a brace until the text is made: OpenCode puts variables and files in place of `{env:…}` and `{file:…}`, also within a client's texts. */
const BRACE = "\uE000";
const PLACEHOLDER = /\{(?=(?:env|file):)/g;

type Json = Record<string, unknown>;

function literal<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(PLACEHOLDER, BRACE)) as T;
}

/** A server of tools as OpenCode's configuration has it. */
export function mcpEntry(server: McpServer): Json {
  if (server.type === "stdio") {
    const { command, args = [], env: environment = {} } = server;
    return { type: "local", command: [command, ...args], environment, enabled: true };
  }
  const { url, headers = {} } = server;
  return { type: "remote", url, headers, enabled: true };
}

export interface Additions {
  mcpServers?: readonly McpServer[];
  /** Language servers and formatters are programs that the project brings. */
  careful?: boolean;
  /** Addresses of plugins. */
  plugins?: readonly string[];
}

/**
 * The configuration that is given by a variable, with what Parley adds to what is in it already. Undefined where there is nothing to add. Rejects
 * where it cannot be read: what is in it would be lost.
 */
export async function configContent(already: string | undefined, added: Additions): Promise<string | undefined> {
  const { mcpServers = [], careful = false, plugins = [] } = added;
  if (mcpServers.length === 0 && plugins.length === 0 && !careful) return undefined;
  const { value, problem } = already ? await parseJsonc(already) : { value: {} };
  if (!isFields(value) || problem)
    throw new Error(`OPENCODE_CONFIG_CONTENT is no configuration: ${problem ?? "it is no object"}`);
  const entries = mcpServers.map((server) => [literal(server.name), literal(mcpEntry(server))]);
  const mcp = { ...fieldsIn(value, "mcp"), ...Object.fromEntries(entries) };
  const all = {
    ...value,
    ...(mcpServers.length > 0 ? { mcp } : {}),
    ...(plugins.length > 0 ? { plugin: [...(Array.isArray(value.plugin) ? value.plugin : []), ...plugins] } : {}),
    ...(careful ? { lsp: false, formatter: false } : {}),
  };
  return JSON.stringify(all).replaceAll(BRACE, "\\u007b");
}
