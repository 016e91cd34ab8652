import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { AllListener, Listener, Log, PlacedRecord } from "../../src/log/contract.ts";

/** Positions grow by this. */
const STEP = 7;
/** How long after its commit an event becomes visible among those of all sessions. */
const LATE_MS = 3;
/** How long after a lost hint the next one comes. */
const MAKE_UP_MS = 15;

const placed = (record: PlacedRecord): PlacedRecord => ({ ...record, position: record.position * STEP });

/**
 * A log as hard as the contract allows: positions skip and, unless told otherwise, become visible late. In a lossy one
 * every second hint to the listeners of all sessions is lost, too, and every third one to those of a session; a hint
 * without records makes up.
 */
export async function distantLog(log: Log, { lossy = false, late = true } = {}): Promise<Log> {
  let visible = await log.position();
  const all = new Set<AllListener>();
  let toAll = 0;

  const waiting = new Set<() => void>();

  const soon = (work: () => void, ms: number): void => {
    waiting.add(work);
    setTimeout(() => waiting.delete(work) && work(), ms).unref();
  };

  const tell: AllListener = (...told) => {
    for (const listener of [...all]) listener(...told);
  };

  function hint(records: readonly PlacedRecord[], events: readonly ParleyEvent[], after: number): void {
    visible = records.at(-1)?.position ?? visible;
    toAll += 1;
    if (!lossy || toAll % 2 === 1) tell(records.map(placed), events, after * STEP);
    else soon(() => tell([], [], visible * STEP), MAKE_UP_MS);
  }
  log.listenAll((...told) => (late ? soon(() => hint(...told), LATE_MS) : hint(...told)));

  return {
    ...log,
    async readAll(query) {
      const records = await log.readAll({ ...query, after: Math.floor(query.after / STEP) });
      return records.filter(({ position }) => position <= visible).map(placed);
    },
    async readAllBack({ before, limit }) {
      const inner = Math.min(Math.ceil(before / STEP), visible + 1);
      return (await log.readAllBack({ before: inner, limit })).map(placed);
    },
    async position() {
      await log.position();
      return visible * STEP;
    },
    listen(session, listener) {
      let heard = 0;
      let listening = true;
      const told: Listener = (...hint) => {
        heard += 1;
        if (!lossy || heard % 3 !== 0) listener(...hint);
        else soon(() => listening && listener([], []), MAKE_UP_MS);
      };
      const stop = log.listen(session, told);
      return () => {
        listening = false;
        stop();
      };
    },
    listenAll(listener) {
      const own: AllListener = (...told) => listener(...told);
      all.add(own);
      return () => all.delete(own);
    },
    close() {
      // As a log that is closed in order: all that it stored is visible by then.
      for (const work of waiting) {
        waiting.delete(work);
        work();
      }
      return log.close();
    },
  };
}
