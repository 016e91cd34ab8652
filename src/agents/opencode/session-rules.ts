import type { PermissionRule } from "../../core/events/values.ts";
import { type Fields, textIn } from "../../core/json/fields.ts";
import type { Api } from "./api.ts";
import { askingRules, deniedTools, type NativeRule, nativeVerdict, rulesIn } from "./rulesets.ts";

/** The agent of a prompt that names none. */
const USUAL = "build";

export interface RuledSession {
  api: Api;
  id: string;
  /** The server asks Parley before each call by itself. */
  isGated: boolean;
  /** The program keeps rules with the session: those that Parley gave it before it was resumed, unless another client did. */
  hasRules?: boolean;
  rules(): readonly PermissionRule[];
}

/**
 * The session's rules as the program's. The program only adds to the rules of a session, and reads them when a turn begins, so they are given before a prompt and
 * always with all of an agent's own. A server that does not ask by itself is told to ask for everything: what the agent's own rules allow is an intent then.
 */
export class SessionRules {
  readonly #session: RuledSession;
  #agents: Promise<ReadonlyMap<string, NativeRule[]>> | undefined;
  #own: readonly NativeRule[] | undefined;
  #given: string | undefined;

  constructor(session: RuledSession) {
    this.#session = session;
  }

  /** Whether the program asks for a call that it would make by itself without the session's rules. */
  isIntent(request: Fields): boolean {
    return this.#own !== undefined && nativeVerdict(this.#own, request) === "allow";
  }

  /** Gives the rules of the turn that begins. Rejects when the program does not take them. */
  async give(mode: string | undefined): Promise<void> {
    const { api, id, isGated, hasRules = false, rules } = this.#session;
    const denied = deniedTools(rules());
    const asks = !isGated && rules().some(({ verdict }) => verdict !== "allow");
    if (denied.length === 0 && !asks && !hasRules && this.#given === undefined) return;
    const own = (await this.#agentRules()).get(mode ?? USUAL) ?? [];
    const permission = [...(asks ? askingRules(own) : own), ...denied];
    this.#own = asks ? own : undefined;
    const text = JSON.stringify(permission);
    if (text === this.#given) return;
    await api.ask("PATCH", `/session/${id}`, { body: { permission } });
    this.#given = text;
  }

  #agentRules(): Promise<ReadonlyMap<string, NativeRule[]>> {
    this.#agents ??= this.#session.api.list("GET", "/agent").then(
      (agents) => new Map(agents.map((agent) => [textIn(agent, "name") ?? "", rulesIn(agent.permission)])),
      (error: unknown) => {
        this.#agents = undefined;
        throw error;
      },
    );
    return this.#agents;
  }
}
