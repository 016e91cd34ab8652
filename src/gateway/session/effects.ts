import type { Draft } from "../../core/events/event.ts";
import type { Effect } from "../../core/ledger/state.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import type { AskKeeper } from "./ask-keeper.ts";
import type { LiveOptions } from "./live-options.ts";
import type { TurnTimers } from "./turn-timers.ts";

export interface EffectsOptions {
  agent: ServingAgent;
  asks: AskKeeper;
  timers: TurnTimers;
  live: Pick<LiveOptions, "metrics" | "gateway" | "onCutShort" | "onRules">;
  onEnded(turn: string): void;
  /** For work that nobody waits for. */
  quietly(work: Promise<unknown> | undefined, message: string): void;
}

/** Does what the ledger wants, after what it said is stored. */
export class Effects {
  private readonly options: EffectsOptions;

  constructor(options: EffectsOptions) {
    this.options = options;
  }

  perform(effects: readonly Effect[], said: readonly Draft[]): void {
    const { agent, asks, live } = this.options;
    const settled = new Set<string>();
    live.metrics.saw(said);
    for (const draft of said) {
      if (draft.type === "history.cut") agent.own?.renew();
      if (draft.type === "session.updated" && draft.data.agent !== undefined) {
        const next = live.gateway.agents.get(draft.data.agent);
        if (next) agent.change(next);
      }
      if (draft.type === "session.updated" && draft.data.permissions) live.onRules(draft.data.permissions);
      if (draft.type === "permission.resolved" || draft.type === "question.resolved") settled.add(draft.data.ask);
      if (draft.type === "turn.ended" && draft.data.reason !== "end_turn")
        live.onCutShort(draft.data.reason === "cancelled" ? "cancelled" : "interrupted");
    }
    for (const ask of settled) asks.resolved(ask);
    for (const effect of effects) {
      if (effect.type !== "asked" || !settled.has(effect.ask)) this.performOne(effect);
    }
  }

  private performOne(effect: Effect): void {
    const { agent, asks, timers, onEnded, quietly } = this.options;
    switch (effect.type) {
      case "deliver":
        return quietly(agent.deliver(effect.prompt, effect.turn), "a prompt could not be delivered");
      case "steer":
        return quietly(agent.own?.readySession?.steer?.(effect.prompt), "a prompt could not be steered");
      case "cancel":
        return quietly(agent.stop(effect.turn), "a turn could not be stopped");
      case "answer":
        return quietly(agent.answer(effect.ask, effect.answer), "an answer could not be given");
      case "decide":
        return quietly(agent.link?.session?.decide?.(effect.ask, effect.verdict), "a verdict could not be given");
      case "asked":
        return asks.asked(effect.ask, effect.kind);
      case "timer":
        return timers.arm(effect);
      case "ended":
        return onEnded(effect.turn);
      default:
        effect satisfies never;
    }
  }
}
