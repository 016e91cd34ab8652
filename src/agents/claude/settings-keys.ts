import { isFields, jsonIn } from "../../core/json/fields.ts";

/** Settings whose inner names say what matters. */
const OPENED: ReadonlySet<string> = new Set(["hooks", "permissions", "env"]);

const parsed = (text: string): unknown => jsonIn(text.replace(/^\ufeff/, ""));

/** The names of the settings in a settings file, such as `hooks.Stop` and `apiKeyHelper`; undefined where it cannot be read. */
export function keysOfSettings(text: string): string[] | undefined {
  const settings = parsed(text);
  if (!isFields(settings)) return undefined;
  return Object.entries(settings).flatMap(([key, value]) => {
    if (key === "$schema") return [];
    return OPENED.has(key) && isFields(value) ? Object.keys(value).map((inner) => `${key}.${inner}`) : [key];
  });
}

/** The names of the servers in `.mcp.json`. */
export function keysOfServers(text: string): string[] | undefined {
  const file = parsed(text);
  if (!isFields(file)) return undefined;
  return isFields(file.mcpServers) ? Object.keys(file.mcpServers) : [];
}
