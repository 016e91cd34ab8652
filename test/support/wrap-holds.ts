import type { Hold, Log } from "../../src/log/contract.ts";

/** A log whose holds are changed by a test. Pieces go the way of all appends, unless the test says otherwise. */
export function wrapHolds(log: Log, change: (hold: Hold) => Partial<Hold>): Log {
  return {
    ...log,
    open: async (session) => {
      const hold = await log.open(session);
      return { ...hold, appendPiece: () => false, ...change(hold) };
    },
  };
}
