import type { Secret } from "./secret.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The agents whose places of credentials are known. */
export const AGENTS = ["claude", "codex", "opencode", "house"] as const;
export type CredentialAgent = (typeof AGENTS)[number];

/**
 * `helper`: a program that tells the key when the agent asks; `cloud`: a switch by which the agent asks a cloud, whose credentials it finds itself. Neither has a secret here.
 */
export type CredentialKind = "api key" | "oauth" | "token" | "helper" | "cloud";

/** The place of a credential, never the credential itself. */
export interface Source {
  kind: "variable" | "file";
  /** The variable's name, or the file's path. */
  name: string;
}

/** A credential as a text holds it. */
export interface Entry {
  provider: string;
  kind: CredentialKind;
  secret?: Secret;
  /** When it ends, in milliseconds since 1970. Absent where it says nothing of an end. */
  expires?: number;
  /** Its agent holds a further token, by which it gets the next one. */
  renewable?: boolean;
}

export interface Credential extends Entry {
  source: Source;
  /** The agents that look there by themselves. */
  readBy: readonly CredentialAgent[];
}

/** Something about a file or a variable that its user should know. */
export interface CredentialProblem {
  source: Source;
  code: "broken" | "unreadable" | "not_a_file" | "too_large" | "open_to_others" | "odd_entry";
  detail: string;
  advice: string;
}

/** All that one place holds. */
export interface Found {
  credentials: readonly Credential[];
  problems: readonly CredentialProblem[];
}

/** A date that can be shown; others say nothing of an end. */
const LATEST = 8_640_000_000_000_000;

/** The end in a field, in milliseconds. */
export function endOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= LATEST ? value : undefined;
}

export function isExpired({ expires }: Entry, now: number): boolean {
  return expires !== undefined && expires <= now;
}

/** A token whose time is over counts only where its agent can renew it. */
export function isUsable(entry: Entry, now: number): boolean {
  return !isExpired(entry, now) || entry.renewable === true;
}
