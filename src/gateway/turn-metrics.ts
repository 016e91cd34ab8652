import type { Draft } from "../core/events/event.ts";
import type { Metrics } from "../core/metrics.ts";

/** Counts what sessions say. */
export class TurnMetrics {
  private readonly started;
  private readonly ended;
  private readonly open;
  private readonly events;
  private readonly asks;

  constructor(metrics: Metrics) {
    this.started = metrics.counter("parley_turns_started_total", "Turns begun, by who began them.");
    this.ended = metrics.counter("parley_turns_ended_total", "Turns ended, by reason.");
    this.open = metrics.gauge("parley_turns_open", "Turns open now.");
    this.events = metrics.counter("parley_events_appended_total", "Events stored.");
    this.asks = metrics.gauge("parley_asks_open", "Permissions and questions that wait for an answer.");
    this.open.set(0);
    this.asks.set(0);
  }

  saw(draft: Draft): void {
    this.events.inc();
    switch (draft.type) {
      case "turn.started":
        this.started.inc({ by: draft.data.by });
        this.open.add(1);
        break;
      case "turn.ended":
        this.ended.inc({ reason: draft.data.reason });
        this.open.add(-1);
        break;
      case "permission.requested":
      case "question.requested":
        this.asks.add(1);
        break;
      case "permission.resolved":
      case "question.resolved":
        this.asks.add(-1);
        break;
      default:
        draft.type satisfies
          | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
          | `prompt.${"queued" | "withdrawn"}`
          | `step.${"started" | "ended"}`
          | `item.${"started" | "updated" | "delta" | "completed"}`
          | `${"plan" | "usage"}.updated`
          | ("history.cut" | "turn.status" | "error" | "agent.unparsed");
    }
  }
}
