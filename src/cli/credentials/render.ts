import { present } from "../../core/json/fields.ts";
import {
  AGENTS,
  type CredentialAgent,
  type CredentialProblem,
  isExpired,
  type Source,
} from "../../credentials/contract.ts";
import type { Judged } from "../../credentials/judge.ts";
import { safeLine } from "../output/safe-text.ts";
import { type Column, table } from "../output/table.ts";
import { fromNow } from "./from-now.ts";

const LONGEST = 1_000;

/** None is cut: a part of a path is no place. Where they do not fit, each credential is a block. */
const COLUMNS: readonly Column[] = ["PROVIDER", "KIND", "SOURCE", "EXPIRY", "USED BY"];

/** A place as people write it. */
function shownPlace({ kind, name }: Source, home: string): string {
  const short = kind === "file" && home !== "/" && name.startsWith(`${home}/`) ? `~${name.slice(home.length)}` : name;
  return safeLine(short, LONGEST);
}

function expiryOf(one: Judged, now: number): string {
  const { expires, renewable, readBy, secret, kind } = one;
  if (kind === "helper" || kind === "cloud") return "-";
  if (expires === undefined) return kind === "oauth" && !secret ? `renewed by ${readBy[0] ?? "its agent"}` : "none";
  if (!isExpired(one, now)) return fromNow(expires, now);
  return renewable ? `expired, renewed by ${readBy[0] ?? "its agent"}` : `expired ${fromNow(expires, now)}`;
}

function useOf({ state, usedBy, shadowedBy, readBy }: Judged, home: string): string {
  switch (state) {
    case "used":
      return usedBy.join(", ");
    case "shadowed":
      return `nobody: shadowed by ${shadowedBy ? shownPlace(shadowedBy, home) : "another"}`;
    case "expired":
      return `nobody: expired${readBy[0] === undefined ? "" : `; log in again with ${readBy[0]}`}`;
    case "unread":
      return "nobody: no agent looks there";
    default:
      return state satisfies never;
  }
}

export function tableOf(all: readonly Judged[], now: number, home: string): string {
  const rows = all.map((one) => [
    safeLine(one.provider),
    one.kind,
    shownPlace(one.source, home),
    expiryOf(one, now),
    useOf(one, home),
  ]);
  return table(COLUMNS, rows);
}

/** The step by which a person gives an agent a credential. */
const ADVICE: Readonly<Record<CredentialAgent, string>> = {
  claude: "run claude auth login, or set ANTHROPIC_API_KEY",
  codex: "run codex login, or codex login --with-api-key; the variable OPENAI_API_KEY is not enough for it",
  opencode: "run opencode auth login, or set ANTHROPIC_API_KEY or OPENAI_API_KEY; its free models need none",
  house: "set ANTHROPIC_API_KEY or OPENAI_API_KEY; its scripted model needs none",
};

export function agentsWithout(all: readonly Judged[]): CredentialAgent[] {
  return AGENTS.filter((agent) => !all.some(({ usedBy }) => usedBy.includes(agent)));
}

/** The house agent may be allowed a key that only others use. */
const LET_HOUSE = "; PARLEY_HOUSE_CREDENTIALS=found lets it use the keys above";

export function adviceLines(all: readonly Judged[]): string[] {
  const keys = all.some(({ kind, provider }) => kind === "api key" && /^(?:anthropic|openai)$/.test(provider));
  const lines = agentsWithout(all).map(
    (agent) => `${agent} has no credential: ${ADVICE[agent]}${agent === "house" && keys ? LET_HOUSE : ""}`,
  );
  const nothing = "nothing was found in the environment and in the files of Claude Code, Codex and OpenCode";
  return all.length === 0 ? [nothing, ...lines] : lines;
}

export function problemLine({ source, detail, advice }: CredentialProblem): string {
  return `${safeLine(source.name, LONGEST)}: ${detail}: ${advice}`;
}

function viewOf(one: Judged, now: number): object {
  const { provider, kind, source, expires, renewable, state, usedBy, shadowedBy } = one;
  const ends = expires === undefined ? undefined : new Date(expires).toISOString();
  const expired = expires === undefined ? undefined : isExpired(one, now);
  return present({ provider, kind, source, expires: ends, expired, renewable, state, usedBy, shadowedBy });
}

/** For programs. Only named fields are told, so that no secret can come along. */
export function jsonOf(all: readonly Judged[], problems: readonly CredentialProblem[], now: number): object {
  const without = Object.fromEntries(agentsWithout(all).map((agent) => [agent, ADVICE[agent]]));
  return { credentials: all.map((one) => viewOf(one, now)), problems, without };
}
