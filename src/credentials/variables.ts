import type { Credential, CredentialAgent, CredentialKind, Environment } from "./contract.ts";
import { secretIn } from "./secret.ts";

/** A variable that may hold a credential. */
export interface Variable {
  name: string;
  provider: string;
  kind: CredentialKind;
  readBy: readonly CredentialAgent[];
}

const EVERY: readonly CredentialAgent[] = ["claude", "opencode", "house"];

/** Those of Anthropic, in the order in which they count. Claude Code does not read CLAUDE_API_KEY. */
const ANTHROPIC: readonly Variable[] = [
  { name: "ANTHROPIC_API_KEY", provider: "anthropic", kind: "api key", readBy: EVERY },
  { name: "CLAUDE_API_KEY", provider: "anthropic", kind: "api key", readBy: [] },
  { name: "ANTHROPIC_AUTH_TOKEN", provider: "anthropic", kind: "token", readBy: ["claude"] },
  { name: "CLAUDE_CODE_OAUTH_TOKEN", provider: "anthropic", kind: "oauth", readBy: ["claude"] },
];

/** Those of OpenAI. The server of Codex, which Parley runs, reads neither. */
const OPENAI: readonly Variable[] = [
  { name: "OPENAI_API_KEY", provider: "openai", kind: "api key", readBy: ["opencode", "house"] },
  { name: "CODEX_API_KEY", provider: "openai", kind: "api key", readBy: [] },
];

/** With one of these Claude Code asks a cloud. */
const CLOUDS: readonly Variable[] = [
  { name: "CLAUDE_CODE_USE_BEDROCK", provider: "amazon-bedrock", kind: "cloud", readBy: ["claude"] },
  { name: "CLAUDE_CODE_USE_VERTEX", provider: "google-vertex", kind: "cloud", readBy: ["claude"] },
  { name: "CLAUDE_CODE_USE_FOUNDRY", provider: "azure", kind: "cloud", readBy: ["claude"] },
];

/** The usual variables of further providers; OpenCode knows more than these. */
const FURTHER: readonly (readonly [provider: string, ...names: string[]])[] = [
  ["openrouter", "OPENROUTER_API_KEY"],
  ["google", "GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
  ["groq", "GROQ_API_KEY"],
  ["mistral", "MISTRAL_API_KEY"],
  ["deepseek", "DEEPSEEK_API_KEY"],
  ["xai", "XAI_API_KEY"],
  ["togetherai", "TOGETHER_API_KEY"],
  ["fireworks-ai", "FIREWORKS_API_KEY"],
  ["cerebras", "CEREBRAS_API_KEY"],
  ["moonshotai", "MOONSHOT_API_KEY"],
  ["vercel", "AI_GATEWAY_API_KEY"],
  ["opencode", "OPENCODE_API_KEY"],
];

export const VARIABLES: readonly Variable[] = [
  ...ANTHROPIC,
  ...OPENAI,
  ...CLOUDS,
  ...FURTHER.flatMap(([provider, ...names]) =>
    names.map((name): Variable => ({ name, provider, kind: "api key", readBy: ["opencode"] })),
  ),
];

/** The variable by which agents take a provider's key; undefined for a provider that is not known here. */
export function keyVariable(provider: string): string | undefined {
  return VARIABLES.find((variable) => variable.provider === provider && variable.kind === "api key")?.name;
}

/** A credential in the environment; undefined where the variable is not set, empty or blank. */
export function inVariable({ name, provider, kind, readBy }: Variable, env: Environment): Credential | undefined {
  const secret = secretIn(env[name]);
  if (secret === undefined) return undefined;
  const entry = { provider, kind, source: { kind: "variable", name } as const, readBy };
  return kind === "cloud" ? entry : { ...entry, secret };
}

export function inVariables(env: Environment, variables: readonly Variable[] = VARIABLES): Credential[] {
  return variables.flatMap((variable) => inVariable(variable, env) ?? []);
}
