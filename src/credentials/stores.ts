import { join, resolve } from "node:path";
import { codexProvider } from "./codex-provider.ts";
import type { Credential, CredentialAgent, CredentialProblem, Environment, Found, Source } from "./contract.ts";
import {
  type Parsed,
  type Parser,
  parseClaudeLogin,
  parseClaudeMain,
  parseClaudeSettings,
  parseCodex,
  parseOpenCode,
} from "./parse.ts";
import { claudeFiles, codexHome, opencodeFile } from "./places.ts";
import { openToOthers, readStore } from "./read-store.ts";
import { inVariables } from "./variables.ts";

/** Most entries that are named in one problem. */
const NAMED = 5;

interface Store {
  path: string;
  parse: Parser;
  agent: CredentialAgent;
  /** The command by which its agent writes it anew. */
  login: string;
}

const NOTHING: Found = { credentials: [], problems: [] };

const owned = (parsed: Parsed, source: Source, readBy: readonly CredentialAgent[]): Credential[] =>
  parsed.entries.map((entry) => ({ ...entry, source, readBy }));

function broken(source: Source, text: string, login: string): CredentialProblem {
  const detail = text.trim() === "" ? "it is empty" : "it is not a JSON object";
  return { source, code: "broken", detail, advice: `mend it, or remove it and log in again: ${login}` };
}

function oddEntries(source: Source, { odd }: Parsed, login: string): CredentialProblem[] {
  if (odd.length === 0) return [];
  const named = [...new Set(odd)].slice(0, NAMED).join(", ");
  const detail = `${odd.length === 1 ? "an entry has" : `${odd.length} entries have`} no known form: ${named}`;
  return [{ source, code: "odd_entry", detail, advice: `log in again: ${login}` }];
}

function fileStore({ path, parse, agent, login }: Store): Found {
  const read = readStore(path);
  if (read === undefined) return NOTHING;
  if ("problem" in read) return { credentials: [], problems: [read.problem] };
  const source: Source = { kind: "file", name: path };
  const parsed = parse(read.text);
  if (!parsed) return { credentials: [], problems: [broken(source, read.text, login)] };
  const credentials = owned(parsed, source, [agent]);
  // Settings and memories without a secret may be open.
  const open = credentials.some(({ secret }) => secret) ? openToOthers(path, read.mode) : undefined;
  return { credentials, problems: [...(open ? [open] : []), ...oddEntries(source, parsed, login)] };
}

/** Claude Code's files, each read when it is asked for. */
export function* claudeStores(env: Environment): Generator<Found> {
  const { settings, login, main } = claudeFiles(env);
  const store = { agent: "claude", login: "claude auth login" } as const;
  yield fileStore({ ...store, path: settings, parse: parseClaudeSettings });
  yield fileStore({ ...store, path: login, parse: parseClaudeLogin });
  yield fileStore({ ...store, path: main, parse: parseClaudeMain });
}

/** The variable that Codex's configuration names, then its login. */
export function* codexStores(env: Environment): Generator<Found> {
  const home = resolve(codexHome(env));
  const config = readStore(join(home, "config.toml"));
  const chosen = config && "text" in config ? codexProvider(config.text) : undefined;
  if (chosen) {
    const { provider, variable: name } = chosen;
    const credentials = inVariables(env, [{ name, provider, kind: "api key", readBy: ["codex"] }]);
    yield { credentials, problems: [] };
  }
  yield fileStore({ path: join(home, "auth.json"), parse: parseCodex, agent: "codex", login: "codex login" });
}

const CONTENT = "OPENCODE_AUTH_CONTENT";

/** The variable with OpenCode's credentials, where it is set, stands for the whole file. */
export function* opencodeStores(env: Environment): Generator<Found> {
  const login = "opencode auth login";
  const source: Source = { kind: "variable", name: CONTENT };
  const text = env[CONTENT];
  const parsed = text ? parseOpenCode(text) : undefined;
  if (text && !parsed) {
    const detail = "it is not a JSON object, so OpenCode reads its file instead";
    yield { credentials: [], problems: [{ source, code: "broken", detail, advice: `unset ${CONTENT}` }] };
  }
  if (parsed) {
    const problems = oddEntries(source, parsed, login);
    yield { credentials: owned(parsed, source, ["opencode"]), problems };
  }
  const file = fileStore({ path: opencodeFile(env), parse: parseOpenCode, agent: "opencode", login });
  if (!parsed) yield file;
  else yield { ...file, credentials: file.credentials.map((credential) => ({ ...credential, readBy: [] })) };
}
