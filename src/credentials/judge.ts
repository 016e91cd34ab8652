import { AGENTS, type Credential, type CredentialAgent, isUsable, type Source } from "./contract.ts";

/** `unread`: no agent looks there by itself. */
export type CredentialState = "used" | "shadowed" | "expired" | "unread";

/** A credential, and what becomes of it. */
export interface Judged extends Credential {
  state: CredentialState;
  /** The agents that take this one. */
  usedBy: readonly CredentialAgent[];
  /** Of a shadowed one: the place of the one that is taken instead. */
  shadowedBy?: Source;
}

/** Claude Code and Codex work with one credential, the others with one for each provider. */
const ONE_FOR_ALL: readonly CredentialAgent[] = ["claude", "codex"];

/** Lower counts first. Claude Code goes to a cloud where one is switched on; OpenCode's own store beats the environment. */
function rank(agent: CredentialAgent, { kind, source, readBy }: Credential): number {
  if (agent === "claude") return kind === "cloud" ? 0 : 1;
  if (agent !== "opencode") return 0;
  const own = source.name === "OPENCODE_AUTH_CONTENT" || (source.kind === "file" && readBy.includes("opencode"));
  return own ? 0 : 1;
}

/** Places of an agent from the first that counts to the last; those that are over are left out. */
function ordered(agent: CredentialAgent, all: readonly Credential[], now: number): Credential[] {
  return all
    .filter((one) => one.readBy.includes(agent) && isUsable(one, now))
    .toSorted((one, other) => rank(agent, one) - rank(agent, other));
}

/** Says of each credential which agents take it, and of the others why none does. */
export function judge(all: readonly Credential[], now: number): Judged[] {
  const usedBy = new Map<Credential, CredentialAgent[]>();
  const winners = new Map<string, Credential>();
  const keyOf = (agent: CredentialAgent, provider: string): string =>
    ONE_FOR_ALL.includes(agent) ? agent : `${agent} ${provider}`;
  for (const agent of AGENTS) {
    for (const one of ordered(agent, all, now)) {
      const key = keyOf(agent, one.provider);
      if (winners.has(key)) continue;
      winners.set(key, one);
      usedBy.set(one, [...(usedBy.get(one) ?? []), agent]);
    }
  }
  return all.map((one): Judged => {
    const agents = usedBy.get(one) ?? [];
    if (agents.length > 0) return { ...one, state: "used", usedBy: agents };
    if (!isUsable(one, now)) return { ...one, state: "expired", usedBy: [] };
    const [reader] = one.readBy;
    const winner = reader && winners.get(keyOf(reader, one.provider));
    if (!winner) return { ...one, state: "unread", usedBy: [] };
    return { ...one, state: "shadowed", usedBy: [], shadowedBy: winner.source };
  });
}
