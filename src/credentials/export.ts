import { type Credential, isExpired, isUsable, type Source } from "./contract.ts";
import { keyVariable } from "./variables.ts";

/** A variable to be set, with the place that its value comes from. */
export interface Exported {
  provider: string;
  variable: string;
  value: string;
  source: Source;
}

/** A credential that is not exported, and why. */
export interface LeftOut {
  provider: string;
  kind: Credential["kind"];
  source: Source;
  why: string;
}

export interface Exports {
  exported: Exported[];
  leftOut: LeftOut[];
}

/** Variables whose value another one holds for more agents. */
const BETTER: Readonly<Record<string, string>> = {
  CLAUDE_API_KEY: "ANTHROPIC_API_KEY",
  CODEX_API_KEY: "OPENAI_API_KEY",
};

/** The variable by which an agent takes a credential; undefined where none does. */
function variableFor({ provider, kind, source, readBy }: Credential): string | undefined {
  if (source.kind === "variable" && source.name !== "OPENCODE_AUTH_CONTENT") return BETTER[source.name] ?? source.name;
  if (kind === "api key") return keyVariable(provider);
  if (provider !== "anthropic" || !readBy.includes("claude")) return undefined;
  return kind === "oauth" ? "CLAUDE_CODE_OAUTH_TOKEN" : kind === "token" ? "ANTHROPIC_AUTH_TOKEN" : undefined;
}

/** Keys are letters, digits and signs; anything else could do something to a shell or a terminal. */
const PRINTABLE = /^[\x21-\x7e]+$/;

function why(credential: Credential, variable: string | undefined, now: number): string | undefined {
  const { kind, secret } = credential;
  if (kind === "helper") return "its program tells the key to Claude Code only";
  if (kind === "cloud") return "it is a switch and holds no secret";
  if (!isUsable(credential, now)) return "it has expired";
  if (isExpired(credential, now) || !secret) return "it has expired, and only its agent can renew it";
  if (variable === undefined) {
    return kind === "api key" ? "no variable of this provider is known" : "no agent takes it by a variable";
  }
  if (!PRINTABLE.test(secret.reveal())) return "it holds blanks or characters that no key has";
  return undefined;
}

/** The variables that hand on what was found: of each provider the first credential that can be handed on. */
export function exportsOf(all: readonly Credential[], now: number, provider?: string): Exports {
  const exported: Exported[] = [];
  const leftOut: LeftOut[] = [];
  const done = new Set<string>();
  for (const credential of all) {
    const { provider: of, kind, source, secret } = credential;
    if ((provider !== undefined && of !== provider) || done.has(of)) continue;
    const variable = variableFor(credential);
    const reason = why(credential, variable, now);
    if (reason !== undefined || variable === undefined || !secret) {
      leftOut.push({ provider: of, kind, source, why: reason ?? "it holds no secret" });
      continue;
    }
    done.add(of);
    exported.push({ provider: of, variable, value: secret.reveal(), source });
  }
  return { exported, leftOut };
}

export const SHELLS = ["sh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A line that a shell reads as the variable and nothing else. */
export function exportLine({ variable, value }: Exported, shell: Shell): string {
  if (shell === "sh") return `export ${variable}='${value.replaceAll("'", "'\\''")}'`;
  return `set -gx ${variable} '${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
