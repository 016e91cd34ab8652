import type { Draft, ParleyEvent } from "../events/event.ts";
import { type IdKind, idSource, PREFIX } from "../ids.ts";
import { present } from "../json/fields.ts";

const KINDS = new Map(Object.entries(PREFIX).map(([kind, prefix]) => [prefix as string, kind as IdKind]));

/** Gives each id of a history a new one that sorts like the old one: by the time of the event that first holds it. */
export class NewIds {
  readonly #known = new Map<string, string>();
  readonly #make: ReturnType<typeof idSource>;
  #time = 0;

  constructor() {
    this.#make = idSource(() => this.#time);
  }

  of(old: string): string {
    const known = this.#known.get(old);
    if (known !== undefined) return known;
    const kind = KINDS.get(old.split("_", 1)[0] ?? "");
    const made = kind === undefined ? old : this.#make(kind);
    this.#known.set(old, made);
    return made;
  }

  /** The event as a draft for another session. */
  draft(event: ParleyEvent): Draft {
    this.#time = event.time;
    const { type, time, source, turn } = event;
    return present({ type, time, source, turn: turn && this.of(turn), data: this.#data(event) }) as Draft;
  }

  #data(event: ParleyEvent): unknown {
    switch (event.type) {
      case "prompt.queued":
        return { ...event.data, prompt: this.#named(event.data.prompt) };
      case "turn.started": {
        const { prompt, context, after } = event.data;
        const named = { context: context?.map((one) => this.#named(one)), prompt: prompt && this.#named(prompt) };
        return { ...event.data, ...present({ ...named, after: after && this.of(after) }) };
      }
      case "step.started":
      case "step.ended":
        return this.#named(event.data);
      case "item.started":
      case "item.completed":
        return { ...event.data, item: this.#named(event.data.item) };
      case "item.updated":
      case "item.delta":
        return { ...event.data, item: this.of(event.data.item) };
      case "permission.requested":
      case "question.requested":
      case "question.resolved":
        return { ...event.data, ask: this.of(event.data.ask) };
      case "permission.resolved": {
        // A grant for good belongs to the session that asked.
        const { outcome } = event.data;
        return { ...event.data, ask: this.of(event.data.ask), outcome: outcome === "always" ? "once" : outcome };
      }
      default:
        event.type satisfies
          | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
          | `turn.${"status" | "ended"}`
          | `${"plan" | "usage"}.updated`
          | ("history.cut" | "prompt.withdrawn" | "error" | "agent.unparsed");
        return event.data;
    }
  }

  #named<T extends { id: string }>(thing: T): T {
    return { ...thing, id: this.of(thing.id) };
  }
}
