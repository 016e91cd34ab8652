import type { SessionState } from "../../core/session-state.ts";
import type { NewSession } from "../contract.ts";
import type { Right } from "../holds.ts";
import type { Target } from "../plan-append.ts";

/** A hold with what it knows of its session. Only the holder writes, so that nobody else may keep this in memory. */
export interface Held extends Right {
  /** Undefined until the session's first append. */
  sid: number | undefined;
  /** The session as it is stored; undefined until its first append. */
  target: Target | "removed" | undefined;
  /** The state in the database: the same object while nothing changed it. */
  state: SessionState | undefined;
  /** A newer hold was taken, or this one was released. */
  stale: boolean;
}

export type Helds = ReturnType<typeof createHelds>;

/** The holds of this process, the newest of each session. The database fences them all; this only knows it earlier. */
export function createHelds() {
  const newest = new Map<string, Held>();
  return {
    add(held: Held): void {
      const before = newest.get(held.session);
      if (before && before.epoch > held.epoch) {
        held.stale = true;
        return;
      }
      if (before) before.stale = true;
      newest.set(held.session, held);
    },
    /** A hold of a session that is not stored yet. Its epoch is that of the session's owner when it is created. */
    toCreate(create: NewSession): Held {
      const epoch = (newest.get(create.id)?.epoch ?? 0) + 1;
      const known = { sid: undefined, target: undefined, state: undefined, stale: false };
      return { session: create.id, epoch, since: 0, create, ...known };
    },
    end(held: Held): void {
      held.stale = true;
      if (newest.get(held.session) === held) newest.delete(held.session);
    },
    /** The last numbers of all sessions that this process holds. */
    lasts(): Map<string, number> {
      const stored = [...newest.values()].flatMap(({ session, target }) =>
        target && target !== "removed" ? [[session, target.last] as const] : [],
      );
      return new Map(stored);
    },
    /** The last number of a session that this process holds. */
    last(session: string): number | undefined {
      const target = newest.get(session)?.target;
      return target === "removed" ? undefined : target?.last;
    },
  };
}
