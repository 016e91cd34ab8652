import type { ParleyEvent } from "../core/events/event.ts";
import type { Listener, LogRecord } from "./contract.ts";

export interface Listeners {
  add(session: string | null, listener: Listener): () => void;
  /** Tells everybody of a commit, in order. */
  publish(records: readonly LogRecord[], events: readonly ParleyEvent[]): void;
}

/** `report` hears of listeners that throw: the others, and the log, go on. */
export function createListeners(report: (thrown: unknown) => void): Listeners {
  const bySession = new Map<string | null, Set<Listener>>();

  function tell(session: string | null, records: readonly LogRecord[], events: readonly ParleyEvent[]): void {
    const listeners = bySession.get(session);
    if (!listeners) return;
    // A copy, because one that joins now must not hear of a commit that came before it.
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue;
      try {
        listener(records, events);
      } catch (thrown) {
        report(thrown);
      }
    }
  }

  function publish(records: readonly LogRecord[], events: readonly ParleyEvent[]): void {
    if (records.length === 0 || bySession.size === 0) return;
    tell(null, records, events);
    const groups = new Map<string, { records: LogRecord[]; events: ParleyEvent[] }>();
    for (const [index, record] of records.entries()) {
      const event = events[index];
      if (!event || !bySession.has(record.session)) continue;
      const group = groups.get(record.session) ?? { records: [], events: [] };
      groups.set(record.session, group);
      group.records.push(record);
      group.events.push(event);
    }
    for (const [session, group] of groups) tell(session, group.records, group.events);
  }

  return {
    add(session, listener) {
      // Wrapped, so that the same function may listen twice and each stops by itself.
      const own: Listener = (records, events) => listener(records, events);
      const listeners = bySession.get(session) ?? new Set();
      bySession.set(session, listeners.add(own));
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && bySession.get(session) === listeners) bySession.delete(session);
      };
    },
    publish,
  };
}
