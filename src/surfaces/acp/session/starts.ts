import type { SessionHandle } from "../../../client/index.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";

/** A sub-agent's session, and the item of the call that started it. */
export interface Found {
  child: string;
  item?: string;
}

/** The session that a call of an event started. */
export function childIn(event: ParleyEvent): Required<Found> | undefined {
  if (event.type === "item.updated") {
    const { child, item } = event.data;
    return child === undefined ? undefined : { child, item };
  }
  if (event.type !== "item.started" && event.type !== "item.completed") return undefined;
  const { item } = event.data;
  return item.kind === "tool_call" && item.child !== undefined ? { child: item.child, item: item.id } : undefined;
}

/** The sub-agents that a session's calls have started, up to one of its numbers. */
export class Starts {
  readonly #items = new Map<string, string>();
  readonly #open = new Set<string>();
  #isRead: boolean | undefined;

  take(event: ParleyEvent): void {
    const found = childIn(event);
    if (!found) return;
    this.#items.set(found.child, found.item);
    if (event.type === "item.completed") this.#open.delete(found.child);
    else this.#open.add(found.child);
  }

  has(child: string): boolean {
    return this.#items.has(child);
  }

  found(child: string): Found {
    const item = this.#items.get(child);
    return { child, ...(item === undefined ? {} : { item }) };
  }

  /** Those whose calls are open. */
  open(): Found[] {
    return [...this.#open].map((child) => this.found(child));
  }

  /** Reads all events up to a number, once. Returns whether all of them are kept. */
  async readAll(handle: SessionHandle, last: number): Promise<boolean> {
    if (this.#isRead !== undefined) return this.#isRead;
    let isWhole = true;
    for await (const event of handle.events({ after: 0, follow: false })) {
      if (event.seq > last) break;
      if (event.type === "gap") isWhole = false;
      else this.take(event);
    }
    this.#isRead = isWhole;
    return isWhole;
  }
}
