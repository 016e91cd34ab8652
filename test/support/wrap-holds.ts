import type { Hold, Log } from "../../src/log/contract.ts";

/** A log whose holds are changed by a test. */
export function wrapHolds(log: Log, change: (hold: Hold) => Partial<Hold>): Log {
  return {
    ...log,
    open: async (session) => {
      const hold = await log.open(session);
      return { ...hold, ...change(hold) };
    },
  };
}
