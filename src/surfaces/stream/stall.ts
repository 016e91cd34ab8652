import type { Socket } from "node:net";

/** libuv counts a long write down as it goes; the stream only knows when all of it is done. */
export function underWay(socket: Socket): number {
  const { _handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return _handle?.writeQueueSize ?? 0;
}

/** How far a client's bytes had come when it was last looked at. */
export interface Progress {
  /** Bytes given to the socket that the system has taken in whole writes. */
  sent: number;
  /** Bytes left of the write that is under way: a long one counts down before it is done. */
  underWay: number;
  /** Looks in a row without progress. */
  still: number;
}

export const NO_PROGRESS: Progress = { sent: 0, underWay: 0, still: 0 };

/** A client that takes nothing while something waits for it is still; one that has nothing to take is idle. */
export function look(before: Progress, now: { pending: number; sent: number; underWay: number }): Progress {
  const { sent, underWay } = now;
  const moved = now.pending === 0 || sent !== before.sent || underWay !== before.underWay;
  return { sent, underWay, still: moved ? 0 : before.still + 1 };
}
