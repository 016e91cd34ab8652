import type { PermissionRule } from "../../core/events/values.ts";
import { type Fields, textIn } from "../../core/json/fields.ts";
import type { Api } from "./api.ts";
import {
  askingRules,
  deniedTools,
  type NativeRule,
  nativeVerdict,
  needsGate,
  outsideAsks,
  rulesFor,
  rulesIn,
} from "./rulesets.ts";

/** The agent of a prompt that names none. */
const USUAL = "build";

export interface RuledSession {
  api: Api;
  id: string;
  /** The server asks Parley before each call by itself. */
  isGated: boolean;
  /** The permissions that rules which the program keeps with the session are about: those that Parley gave it before it was resumed, unless another client did. */
  kept?: readonly string[];
  rules(): readonly PermissionRule[];
}

/**
 * The session's rules as the program's. The program only adds to the rules of a session, and reads them when a turn begins, so they are given before a prompt. A
 * server that asks by itself is given no more than what the rules change, because a session's rules count more than those of any agent that works in it. One that
 * does not is told to ask for everything, with all of the agent's own rules: what these allow is an intent then.
 */
export class SessionRules {
  readonly #session: RuledSession;
  #agents: Promise<ReadonlyMap<string, NativeRule[]>> | undefined;
  #own: readonly NativeRule[] | undefined;
  #given: string | undefined;
  /** The permissions that rules which were given are about. */
  readonly #changed: Set<string>;

  constructor(session: RuledSession) {
    this.#session = session;
    this.#changed = new Set(session.kept);
  }

  /** Whether the program asks for a call that it would make by itself without the session's rules. */
  isIntent(request: Fields): boolean {
    return this.#own !== undefined && nativeVerdict(this.#own, request) === "allow";
  }

  /** Gives the rules of the turn that begins, for the agent that works in it. Rejects when the program does not take them. */
  async give(agent: string | undefined): Promise<void> {
    const { api, id, isGated, kept = [], rules } = this.#session;
    const asks = !isGated && needsGate(rules());
    const changes = [...(asks ? [] : outsideAsks(rules())), ...deniedTools(rules())];
    if (changes.length === 0 && !asks && kept.length === 0 && this.#given === undefined) return;
    const own = (await this.#agentRules()).get(agent ?? USUAL) ?? [];
    const permission = asks ? [...askingRules(own), ...changes] : [...this.#asBefore(own, changes), ...changes];
    this.#own = asks || changes.some(({ action }) => action === "ask") ? own : undefined;
    const text = JSON.stringify(permission);
    if (text === this.#given) return;
    await api.ask("PATCH", `/session/${id}`, { body: { permission } });
    this.#given = text;
    for (const one of asks ? ["*"] : changes.map((change) => change.permission)) this.#changed.add(one);
  }

  /** The agent's own rules for the permissions that were changed before, and are not now. */
  #asBefore(own: readonly NativeRule[], changes: readonly NativeRule[]): NativeRule[] {
    if (this.#changed.has("*")) return [...own];
    const before = [...this.#changed].filter((one) => !changes.some(({ permission }) => permission === one));
    return before.flatMap((permission) => rulesFor(permission, own));
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
