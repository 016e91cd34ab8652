import type { ParleyEvent } from "../core/events/event.ts";
import type { AllListener, EventRecord, Listener, PlacedRecord } from "./contract.ts";

/** `report` hears of listeners that throw: the others, and the log, go on. */
export function createListeners(report: (thrown: unknown) => void) {
  const all = new Set<AllListener>();
  const bySession = new Map<string, Set<Listener>>();
  /** Those that want to hear of a loss, by session; null for all sessions. */
  const losers = new Map<string | null, Set<() => void>>();
  /** Calls that are still to be made, those of one turn of the event loop together. */
  const later: (() => void)[][] = [];

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

  function bySessions(records: readonly EventRecord[], events: readonly ParleyEvent[]): Map<string, Heard> {
    const groups = new Map<string, Heard>();
    for (const [index, record] of records.entries()) {
      const event = events[index];
      if (!event || !bySession.has(record.session)) continue;
      const group = groups.get(record.session) ?? { records: [], events: [] };
      groups.set(record.session, group);
      group.records.push(record);
      group.events.push(event);
    }
    return groups;
  }

  function tellSessions(records: readonly EventRecord[], events: readonly ParleyEvent[]): void {
    for (const [session, group] of bySessions(records, events))
      tell(bySession.get(session), (listener) => listener(group.records, group.events));
  }

  function placedOf(records: readonly EventRecord[], after: number): PlacedRecord[] {
    return records.map((record, index) => ({ ...record, position: after + index + 1 }));
  }

  /** A call for each listener of now that is to hear of a commit. */
  function calls(records: readonly EventRecord[], events: readonly ParleyEvent[], after: number): (() => void)[] {
    const found: (() => void)[] = [];
    const add = <T>(listeners: Set<T> | undefined, call: (listener: T) => void): void => {
      for (const listener of listeners ?? [])
        found.push(() => {
          if (listeners?.has(listener)) tell(new Set([listener]), call);
        });
    };
    if (all.size > 0) {
      const placed = placedOf(records, after);
      add(all, (listener) => listener(placed, events, after));
    }
    for (const [session, group] of bySessions(records, events))
      add(bySession.get(session), (listener) => listener(group.records, group.events));
    return found;
  }

  /** Makes the calls of the turn. */
  function goOn(): void {
    for (const call of later[0] ?? []) call();
    later.shift();
    if (later.length > 0) setImmediate(goOn);
  }

  function callLater(turns: (() => void)[][]): void {
    if (later.length === 0 && turns.length > 0) setImmediate(goOn);
    later.push(...turns);
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
    /**
     * Tells everybody of a commit, in order. The first record has the position after `after`, and so on. A heavy commit
     * costs each listener so much that others have their turn between them, and the commits behind it wait for that.
     */
    publish(
      records: readonly EventRecord[],
      events: readonly ParleyEvent[],
      after: number,
      heavy: boolean = false,
    ): void {
      if (records.length === 0) return;
      if (heavy) return callLater(calls(records, events, after).map((call) => [call]));
      if (later.length > 0) return callLater([calls(records, events, after)]);
      if (all.size > 0) {
        const placed = placedOf(records, after);
        tell(all, (listener) => listener(placed, events, after));
      }
      const [first] = records;
      if (first && records.length === 1) tell(bySession.get(first.session), (listener) => listener(records, events));
      else if (bySession.size > 0) tellSessions(records, events);
    },
    /** Makes all calls that wait. */
    flush(): void {
      for (const turn of later.splice(0)) for (const call of turn) call();
    },
  };
}

interface Heard {
  records: EventRecord[];
  events: ParleyEvent[];
}
