import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Fields, fieldsIn, isFields, jsonIn, textIn } from "../../core/json/fields.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The place of a credential, never the credential itself. */
export interface CredentialPlace {
  kind: "variable" | "file";
  /** The variable's name, or the file's path. */
  name: string;
  /** A login whose time is over; the program may be able to renew it. */
  expired?: boolean;
}

/** In the order in which the program prefers them. */
const VARIABLES = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"] as const;
/** With one of these the program asks a cloud, whose credentials it finds itself. */
const CLOUDS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"] as const;

async function readFields(path: string): Promise<Fields | undefined> {
  const value = jsonIn(await readFile(path, "utf8").catch(() => ""));
  return isFields(value) ? value : undefined;
}

function inVariables(env: Environment): CredentialPlace | undefined {
  const name = [...VARIABLES, ...CLOUDS].find((variable) => env[variable]);
  return name === undefined ? undefined : { kind: "variable", name };
}

/** The login file holds when it ends, in milliseconds. */
function loginIn(file: Fields | undefined, name: string, now: number): CredentialPlace | undefined {
  const login = fieldsIn(file ?? {}, "claudeAiOauth");
  if (!textIn(login, "accessToken")) return undefined;
  const { expiresAt } = login;
  return { kind: "file", name, expired: typeof expiresAt === "number" && expiresAt < now };
}

/** Whether a login or a key of Claude Code is there, without running it. Nothing of it is kept. */
export async function findCredentials(env: Environment, now = Date.now()): Promise<CredentialPlace | undefined> {
  const variable = inVariables(env);
  if (variable) return variable;
  const home = env.HOME ?? homedir();
  const moved = env.CLAUDE_CONFIG_DIR;
  const settings = join(moved ?? join(home, ".claude"), "settings.json");
  const logins = join(moved ?? join(home, ".claude"), ".credentials.json");
  const main = join(moved ?? home, ".claude.json");
  const held = await readFields(settings);
  if (held && (textIn(held, "apiKeyHelper") || inVariables(fieldsIn(held, "env") as Environment)))
    return { kind: "file", name: settings };
  const login = loginIn(await readFields(logins), logins, now);
  if (login) return login;
  return textIn((await readFields(main)) ?? {}, "primaryApiKey") ? { kind: "file", name: main } : undefined;
}
