/** Tables whose inner names say what matters: `hooks.Stop`, `mcp_servers.db`. */
const OPENED: ReadonlySet<string> = new Set([
  "hooks",
  "mcp_servers",
  "model_providers",
  "shell_environment_policy",
  "sandbox_workspace_write",
  "features",
  "agents",
  "plugins",
  "permissions",
  "profiles",
]);

/** A name is never given back in part: a long line would take the square of its length. */
const NAME = `[\\w-]+(?![\\w-])|"[^"\\n]*"|'[^'\\n]*'`;
/** The first names of a key or of a table's head, as they are written. */
const DOTTED = `(${NAME})(?:[ \\t]*\\.[ \\t]*(${NAME}))?[^=\\]\\n]*`;
const LINE = new RegExp(`^[ \\t]*(?:(\\[\\[?)[ \\t]*${DOTTED}\\]|${DOTTED}=)`);

const bare = (name: string): string => name.replace(/^(["'])(.*)\1$/, "$2");

/** Text of several lines is passed over: its lines are no keys. */
const LONG_TEXT = /("""|''')[\s\S]*?(?:\1|$)/g;

/**
 * The names of the settings in a file of TOML, such as `model`, `hooks.Stop` and `mcp_servers.db`, each once. It is for people to read, so it reads lines and knows
 * nothing of values: a name may be told too much, and the inside of a list that goes over several lines may look like one.
 */
export function keysOfConfig(text: string): string[] {
  const found = new Set<string>();
  let table: string[] = [];
  for (const line of text
    .replace(/^\ufeff/, "")
    .replace(LONG_TEXT, '""')
    .split(/\r?\n/)) {
    const [, head, first, second, key, inner] = LINE.exec(line) ?? [];
    const named = [first ?? key, second ?? inner].flatMap((name) => (name === undefined ? [] : [bare(name)]));
    if (named.length === 0) continue;
    if (head !== undefined) table = named;
    const path = head === undefined ? [...table, ...named] : named;
    const [outer = ""] = path;
    if (!OPENED.has(outer)) found.add(outer);
    // The head of a table says nothing where its keys do.
    else if (path.length > 1 || head === undefined) found.add(path.slice(0, 2).join("."));
  }
  return [...found];
}
