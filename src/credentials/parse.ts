import { type Fields, fieldsIn, isFields, jsonIn, present, textIn } from "../core/json/fields.ts";
import { type Entry, endOf } from "./contract.ts";
import { jwtEnd } from "./jwt.ts";
import { secretIn } from "./secret.ts";
import { inVariables, VARIABLES } from "./variables.ts";

/** The content of a text. The names of entries whose form is not known are told; their contents never are. */
export interface Parsed {
  entries: Entry[];
  odd: string[];
}

/** Reads a text as JSON; undefined where it is no object. */
export type Parser = (text: string) => Parsed | undefined;

function parser(read: (fields: Fields) => Parsed): Parser {
  return (text) => {
    const value = jsonIn(text.replace(/^\ufeff/, ""));
    return isFields(value) ? read(value) : undefined;
  };
}

const entries = (...found: (Entry | undefined)[]): Parsed => ({ entries: found.filter((one) => !!one), odd: [] });

/** An API key; undefined where the text is none. */
function apiKey(provider: string, text: unknown): Entry | undefined {
  const secret = secretIn(text);
  return secret && { provider, kind: "api key", secret };
}

/** `.credentials.json` of Claude Code: a login, which says when it ends in milliseconds. */
export const parseClaudeLogin = parser((file) => {
  const login = fieldsIn(file, "claudeAiOauth");
  const secret = secretIn(login.accessToken);
  if (!secret) return entries();
  const renewable = secretIn(login.refreshToken) !== undefined || undefined;
  return entries(present({ provider: "anthropic", kind: "oauth", secret, expires: endOf(login.expiresAt), renewable }));
});

/** `.claude.json`: the key of a login by Anthropic's console. */
export const parseClaudeMain = parser((file) => entries(apiKey("anthropic", file.primaryApiKey)));

/** `settings.json` of Claude Code: a program that tells the key, or variables. */
export const parseClaudeSettings = parser((file) => {
  const helper: Entry | undefined = textIn(file, "apiKeyHelper")
    ? { provider: "anthropic", kind: "helper" }
    : undefined;
  const env = Object.fromEntries(
    Object.entries(fieldsIn(file, "env")).map(([name, value]) => [name, isFields(value) ? undefined : String(value)]),
  );
  const read = VARIABLES.filter(({ readBy }) => readBy.includes("claude"));
  const held = inVariables(env, read).map(({ source, readBy, ...entry }): Entry => entry);
  return entries(helper, ...held);
});

/** `auth.json` of Codex: a key, a login by ChatGPT, or both; the mode says which one counts. */
export const parseCodex = parser((file) => {
  const tokens = fieldsIn(file, "tokens");
  const [secret, refresh] = [secretIn(tokens.access_token), secretIn(tokens.refresh_token)];
  const key = apiKey("openai", file.OPENAI_API_KEY);
  const login: Entry | undefined =
    secret || refresh
      ? present({
          provider: "openai",
          kind: "oauth",
          secret,
          expires: jwtEnd(textIn(tokens, "access_token") ?? ""),
          renewable: refresh && true,
        })
      : undefined;
  return file.auth_mode === "chatgpt" ? entries(login, key) : entries(key, login);
});

/** A name of a provider, or the address of one, fit to show. */
const PROVIDER = /^[\w.:/@~-]{1,100}$/;
/** An entry of another form may have its secret in the wrong place, so a long name is not told. */
const ODD_NAME = /^[\w.:/@~-]{1,24}$/;

function opencodeEntry(provider: string, value: Fields): Entry | undefined {
  switch (value.type) {
    case "api":
      return apiKey(provider, value.key);
    case "oauth": {
      const [secret, refresh] = [secretIn(value.access), secretIn(value.refresh)];
      if (!secret && !refresh) return undefined;
      // 0 stands for a token without an end.
      const expires = endOf(value.expires) || undefined;
      return present({ provider, kind: "oauth", secret, expires, renewable: refresh && true });
    }
    case "wellknown": {
      const secret = secretIn(value.token);
      return secret && { provider, kind: "token", secret };
    }
    default:
      return undefined;
  }
}

/** `auth.json` of OpenCode: an entry for each provider. */
export const parseOpenCode = parser((file) => {
  const parsed: Parsed = { entries: [], odd: [] };
  for (const [provider, value] of Object.entries(file)) {
    const entry = PROVIDER.test(provider) && isFields(value) ? opencodeEntry(provider, value) : undefined;
    if (entry) parsed.entries.push(entry);
    else parsed.odd.push(ODD_NAME.test(provider) ? provider : "one with a long name");
  }
  return parsed;
});
