import type { ParleyEvent } from "../core/events/event.ts";
import type { AllListener, EventRecord, Listener, PlacedRecord } from "./contract.ts";

/** `report` hears of listeners that throw: the others, and the log, go on. */
export function createListeners(report: (thrown: unknown) => void) {
  const all = new Set<AllListener>();
  const bySession = new Map<string, Set<Listener>>();
  /** Those that want to hear of a loss, by session; null for all sessions. */
  const losers = new Map<string | null, Set<() => void>>();

  function tell<T>(listeners: Set<T> | undefined, call: (listener: T) => void): void {
    if (!listeners || listeners.size === 0) return;
    // A copy, because one that joins now must not hear of a commit that came before it.
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue;
      try {
        call(listener);
      } catch (thrown) {
        report(thrown);
      }
    }
  }

  function tellSessions(records: readonly EventRecord[], events: readonly ParleyEvent[]): void {
    const groups = new Map<string, { records: EventRecord[]; events: ParleyEvent[] }>();
    for (const [index, record] of records.entries()) {
      const event = events[index];
      if (!event || !bySession.has(record.session)) continue;
      const group = groups.get(record.session) ?? { records: [], events: [] };
      groups.set(record.session, group);
      group.records.push(record);
      group.events.push(event);
    }
    for (const [session, group] of groups)
      tell(bySession.get(session), (listener) => listener(group.records, group.events));
  }

  function addLoser(session: string | null, lost: (() => void) | undefined): () => void {
    if (!lost) return () => {};
    const own = (): void => lost();
    const known = losers.get(session) ?? new Set();
    losers.set(session, known.add(own));
    return () => {
      known.delete(own);
      if (known.size === 0 && losers.get(session) === known) losers.delete(session);
    };
  }

  return {
    // Wrapped, so that the same function may listen twice and each stops by itself.
    add(session: string, listener: Listener, lost?: () => void): () => void {
      const stopLoser = addLoser(session, lost);
      const own: Listener = (...heard) => listener(...heard);
      const listeners = bySession.get(session) ?? new Set();
      bySession.set(session, listeners.add(own));
      return () => {
        stopLoser();
        listeners.delete(own);
        if (listeners.size === 0 && bySession.get(session) === listeners) bySession.delete(session);
      };
    },
    addAll(listener: AllListener, lost?: () => void): () => void {
      const stopLoser = addLoser(null, lost);
      const own: AllListener = (...heard) => listener(...heard);
      all.add(own);
      return () => {
        stopLoser();
        all.delete(own);
      };
    },
    /** Tells the listeners of a session, or with null those of all, that what they heard is gone. */
    lose(session: string | null): void {
      tell(losers.get(session), (lost) => lost());
    },
    /** Whether a session has a listener. */
    hears: (session: string): boolean => bySession.has(session),
    /** Whether somebody listens to all sessions. */
    hearsAll: (): boolean => all.size > 0,
    /** Tells the listeners of sessions of records, in order; nobody else. */
    tellSessions(records: readonly EventRecord[], events: readonly ParleyEvent[]): void {
      if (bySession.size > 0) tellSessions(records, events);
    },
    /** Tells the listeners of a session to read on from their cursors. */
    wake(session: string): void {
      tell(bySession.get(session), (listener) => listener([], []));
    },
    /** Tells the listeners of all sessions of records in their order, or without any to read on. */
    tellAll(records: readonly PlacedRecord[], events: readonly ParleyEvent[], after: number): void {
      tell(all, (listener) => listener(records, events, after));
    },
    /** Tells everybody of a commit, in order. The first record has the position after `after`, and so on. */
    publish(records: readonly EventRecord[], events: readonly ParleyEvent[], after: number): void {
      if (records.length === 0) return;
      if (all.size > 0) {
        const placed: PlacedRecord[] = records.map((record, index) => ({ ...record, position: after + index + 1 }));
        tell(all, (listener) => listener(placed, events, after));
      }
      if (bySession.size > 0) tellSessions(records, events);
    },
  };
}
