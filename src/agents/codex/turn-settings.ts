import { isDeepStrictEqual } from "node:util";
import { type Fields, fieldsIn, textIn } from "../../core/json/fields.ts";
import type { SessionSignal } from "../../core/ledger/signals.ts";
import type { AgentChoice } from "../contract.ts";
import { effortIn } from "../effort.ts";
import { OWN_MODE, PLAN_MODE, type Policy, policyOf } from "./modes.ts";

interface Known {
  model?: string | undefined;
  effort?: string | undefined;
  policy?: Policy;
  plan: boolean;
}

/**
 * The model, effort and mode of a session. The program keeps them with its thread and goes on with them when it resumes it, so each turn is begun with all that
 * differs from the choice: a turn never runs in another mode than the one that is shown.
 */
export class TurnSettings {
  readonly #trusted: boolean;
  #config: Fields = {};
  /** The policy of a thread that was begun without another: the program's own, as it says itself. */
  #own: Policy | undefined;
  #model: string | undefined;
  #effort: string | undefined;
  #mode: string;
  #inForce: Known = { plan: false };

  constructor({ model, mode, options }: AgentChoice, trusted: boolean) {
    this.#trusted = trusted;
    this.#model = model;
    this.#mode = mode ?? OWN_MODE;
    this.#effort = effortIn(options);
  }

  get mode(): string {
    return this.#mode;
  }

  /** The model that the program uses, or will use with the next turn. */
  get model(): string | undefined {
    return this.#model ?? this.#inForce.model;
  }

  /** The thread is open: what the program says of it, and of its configuration. */
  opened(thread: Fields, config: Fields, fresh: boolean): SessionSignal {
    const policy = { approval: thread.approvalPolicy, sandbox: fieldsIn(thread, "sandbox") };
    const plan = textIn(fieldsIn(thread, "collaborationMode"), "mode") === PLAN_MODE;
    this.#config = config;
    if (fresh) this.#own = policy;
    this.#inForce = { policy, plan, model: textIn(thread, "model"), effort: textIn(thread, "reasoningEffort") };
    const { model, effort } = this.#inForce;
    const options = effort === undefined ? {} : { options: { effort } };
    return { type: "session", ...(model === undefined ? {} : { model }), mode: this.#mode, ...options };
  }

  /** Whether there is a mode of this name. */
  has(mode: string): boolean {
    return this.#policyOf(mode) !== undefined;
  }

  choose({ model, mode, options }: AgentChoice): void {
    this.#model = model ?? this.#model;
    this.#mode = mode ?? this.#mode;
    if (options) this.#effort = effortIn(options);
  }

  /** The program asks about each command, also about those that stay in their sandbox. */
  get asksForAll(): boolean {
    return this.#inForce.policy?.approval === "untrusted";
  }

  /** The effort that the program goes on with when none is chosen. */
  get keptEffort(): string | undefined {
    return this.#inForce.effort;
  }

  /** The choice as a turn takes it: the part that is not in force. `took` is called when the program has begun the turn with it. */
  next(): { params: Fields; took(): void } {
    const before = this.#inForce;
    const plan = this.#mode === PLAN_MODE;
    const policy = this.#policyOf(this.#mode) ?? before.policy;
    const model = this.#model ?? before.model;
    const effort = this.#effort ?? before.effort;
    const moved = model !== before.model || effort !== before.effort;
    const params = {
      ...(model !== undefined && model !== before.model ? { model } : {}),
      ...(effort !== undefined && effort !== before.effort ? { effort } : {}),
      ...(policy && !isDeepStrictEqual(policy, before.policy)
        ? { approvalPolicy: policy.approval, sandboxPolicy: policy.sandbox }
        : {}),
      ...(plan !== before.plan || (plan && moved) ? { collaborationMode: collaboration(plan, model, effort) } : {}),
    };
    const after = { model, effort, plan, ...(policy ? { policy } : {}) };
    return {
      params,
      took: () => {
        this.#inForce = after;
      },
    };
  }

  #policyOf(mode: string): Policy | undefined {
    return (mode === OWN_MODE ? this.#own : undefined) ?? policyOf(mode, this.#config, this.#trusted);
  }
}

/** The program's plan mode has instructions of its own; null stands for these. */
function collaboration(plan: boolean, model: string | undefined, effort: string | undefined): Fields {
  const settings = { model: model ?? "", reasoning_effort: effort ?? null, developer_instructions: null };
  return { mode: plan ? PLAN_MODE : "default", settings };
}
