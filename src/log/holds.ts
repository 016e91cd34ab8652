import { ParleyError } from "../core/errors.ts";
import type { Entry, EventRecord, Hold, NewSession, SessionHead } from "./contract.ts";
import type { Append } from "./plan-append.ts";

/** A hold as the log knows it. */
export interface Right {
  session: string;
  epoch: number;
  /** The last number when it was taken: greater ones were stored under it. */
  since: number;
  /** The session that its first append creates. */
  create: NewSession | undefined;
}

export type Rights = ReturnType<typeof createRights>;

/** The newest right to each session. Epochs live as long as it does: it fences writers that use the same one. */
export function createRights() {
  let epoch = 0;
  const newest = new Map<string, number>();
  const holds = (right: Right): boolean => newest.get(right.session) === right.epoch;
  return {
    take(session: string, since: number, create: NewSession | undefined): Right {
      epoch += 1;
      newest.set(session, epoch);
      return { session, epoch, since, create };
    },
    /** Throws `fenced` for a right that is not its session's newest. */
    assert(right: Right): void {
      if (!holds(right)) throw fenced(right.session);
    },
    end(right: Right): void {
      if (holds(right)) newest.delete(right.session);
    },
  };
}

export function fenced(session: string): ParleyError {
  const message = `expected to hold session ${session}, but another writer took it or the hold was released: nothing was stored; open the session again`;
  return new ParleyError("fenced", message, { session });
}

/** The writes of a log, each under a right. Appends end in the order of their calls, and so do the others. */
export interface HoldWork<R extends Right = Right> {
  append(append: Append & { right: R }): Promise<EventRecord[]>;
  appendPiece?(append: Append & { right: R }): boolean;
  fold(right: R, upTo: number): Promise<void>;
  prune(right: R, before: number): Promise<void>;
  remove(right: R): Promise<void>;
  /** Gives the right back, after the others. */
  end(right: R): void | Promise<void>;
}

export function createHold<R extends Right>(right: R, head: SessionHead | undefined, work: HoldWork<R>): Hold {
  const { session, epoch } = right;
  let appending: Promise<unknown> | undefined;
  let forgetting: Promise<unknown> | undefined;
  let released = false;

  const forget = (begin: () => Promise<void>): Promise<void> => {
    if (released) return Promise.reject(fenced(session));
    const forgotten = begin();
    forgetting = forgotten;
    return forgotten;
  };

  return {
    session,
    epoch,
    head,
    append(after, entries) {
      if (released) return Promise.reject(fenced(session));
      const appended = work.append({ right, after, entries });
      appending = appended;
      return appended;
    },
    ...(work.appendPiece && {
      appendPiece: (after: number, piece: Entry) =>
        !released && work.appendPiece?.({ right, after, entries: [piece] }) === true,
    }),
    fold: (upTo) => forget(() => work.fold(right, upTo)),
    prune: (before) => forget(() => work.prune(right, before)),
    remove: () => forget(() => work.remove(right)),
    async release() {
      released = true;
      await Promise.allSettled([appending, forgetting]);
      await work.end(right);
    },
  };
}
