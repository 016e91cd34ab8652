import type { Draft } from "../core/events/event.ts";
import type { LedgerState } from "../core/ledger/state.ts";
import type { Metrics } from "../core/metrics.ts";

/** Counts the events and the turns of sessions. */
export class TurnMetrics {
  private readonly started;
  private readonly ended;
  private events = 0;

  /** `ledgers` gives the ledgers of all sessions in memory, where every open turn is. */
  constructor(metrics: Metrics, ledgers: () => readonly LedgerState[]) {
    this.started = metrics.counter("parley_turns_started_total", "Turns begun, by who began them.");
    this.ended = metrics.counter("parley_turns_ended_total", "Turns ended, by reason.");
    const open = (): number => ledgers().filter(({ turn }) => turn).length;
    metrics.read("gauge", "parley_turns_open", "Turns open now.", open);
    metrics.read("counter", "parley_events_appended_total", "Events stored.", () => this.events);
    const asks = (): number => ledgers().reduce((sum, { turn }) => sum + (turn?.asks.size ?? 0), 0);
    metrics.read("gauge", "parley_asks_open", "Permissions and questions that wait for an answer.", asks);
  }

  sawPiece(): void {
    this.events += 1;
  }

  saw(drafts: readonly Draft[]): void {
    this.events += drafts.length;
    const [first] = drafts;
    // The turns that a fork copies were counted when they ran.
    if (first?.type === "session.started" && first.data.forked) return;
    for (const draft of drafts) {
      if (draft.type === "turn.started") this.started.inc({ by: draft.data.by });
      if (draft.type === "turn.ended") this.ended.inc({ reason: draft.data.reason });
    }
  }
}
