import { isParleyError, type ParleyError } from "../../core/errors.ts";
import type { Draft } from "../../core/events/event.ts";
import type { Effect } from "../../core/ledger/state.ts";
import { isLasting } from "../../core/storage-refusal.ts";
import { within } from "../../core/within.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import { CANCEL_ASK_MS, type GatewayOptions } from "../options.ts";
import type { TurnMetrics } from "../turn-metrics.ts";
import type { AskKeeper } from "./ask-keeper.ts";
import type { SessionParts } from "./parts.ts";
import type { Rest } from "./rest.ts";
import type { SessionStop } from "./session-stop.ts";
import type { SessionStore } from "./session-store.ts";
import type { TurnTimers } from "./turn-timers.ts";

interface ActOptions extends SessionParts, Pick<GatewayOptions, "agents" | "retainEvents"> {
  store: SessionStore;
  agent: ServingAgent;
  asks: AskKeeper;
  timers: TurnTimers;
  stop: SessionStop;
  rest: Rest;
  metrics: TurnMetrics;
}

/** The last stage of a session: does the effects of the ledger, after the events are stored. */
export class Act {
  private readonly options: ActOptions;

  constructor(options: ActOptions) {
    this.options = options;
  }

  perform(effects: readonly Effect[], said: readonly Draft[]): void {
    const { agents, agent, asks, kin, metrics } = this.options;
    const settled = new Set<string>();
    metrics.saw(said);
    for (const draft of said) {
      if (draft.type === "history.cut") agent.own?.renew();
      if (draft.type === "session.updated" && draft.data.agent !== undefined) {
        const next = agents.get(draft.data.agent);
        if (next) agent.change(next);
      }
      if (draft.type === "session.updated" && draft.data.permissions) kin.giveRules(draft.data.permissions);
      if (draft.type === "permission.resolved" || draft.type === "question.resolved") settled.add(draft.data.ask);
      // Sub-agents stop with the turn that they work for.
      if (draft.type === "turn.ended" && draft.data.reason !== "end_turn") {
        const reason = draft.data.reason === "cancelled" ? "cancelled" : "interrupted";
        kin.tell({ type: "turn.finished", reason });
      }
    }
    for (const ask of settled) asks.resolved(ask);
    for (const effect of effects) {
      if (effect.type !== "asked" || !settled.has(effect.ask)) this.performOne(effect);
    }
  }

  /** A piece was stored, which has no effects. */
  storedPiece(): void {
    this.options.metrics.sawPiece();
  }

  private performOne(effect: Effect): void {
    const { agent, asks, timers, kin, logger } = this.options;
    switch (effect.type) {
      case "deliver":
        return logger.quietly(agent.deliver(effect.prompt, effect.turn), "a prompt could not be delivered");
      case "steer":
        return logger.quietly(agent.own?.readySession?.steer?.(effect.prompt), "a prompt could not be steered");
      case "cancel":
        return logger.quietly(agent.stop(effect.turn), "a turn could not be stopped");
      case "answer":
        return logger.quietly(agent.answer(effect.ask, effect.answer), "an answer could not be given");
      case "decide":
        return logger.quietly(
          agent.link?.session?.decide?.(effect.ask, effect.verdict),
          "a verdict could not be given",
        );
      case "asked":
        return asks.asked(effect.ask, effect.kind);
      case "granted":
        return kin.giveGrant(effect.grant);
      case "timer":
        return timers.arm(effect);
      case "ended":
        return this.ended(effect.turn);
      default:
        effect satisfies never;
    }
  }

  private ended(turn: string): void {
    const { waits, store, ledger, retainEvents, logger } = this.options;
    waits.over(turn);
    // A queued prompt is read from its event, which must not be pruned.
    const keep = ledger.state.queue.length === 0 ? retainEvents : 0;
    logger.quietly(store.tidy(keep), "old events could not be folded");
  }

  /** The inbox is empty. */
  quiet(): void {
    this.options.rest.check();
  }

  /** The log takes no writes. The agent is held, because there may be room soon; it is stopped when the log's files are gone. */
  refused(error: ParleyError): void {
    const { logger, stop } = this.options;
    // The server logs files that are gone, once for all sessions.
    if (error.code !== "storage_lost") logger.warn(error, "the log takes no writes; the agent is held until it does");
    if (isLasting(error)) stop.abandon(error);
  }

  /** This object can store nothing more: ends the agent, and waits for a turn's end get the error. */
  async end(error: unknown): Promise<void> {
    const { agent, waits, logger } = this.options;
    waits.close(error);
    if (!isParleyError(error) || error.code !== "shutting_down")
      logger.error(error, "the session's log takes no more events from here");
    agent.own?.seal();
    const gone = Promise.all([agent.own?.kill(0), agent.halt()]);
    await within(gone, CANCEL_ASK_MS).catch((failure: unknown) => logger.warn(failure, "an agent could not be ended"));
  }
}
