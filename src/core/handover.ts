import type { ParleyEvent } from "./events/event.ts";

/** Events of one commit, or another message of the stream as it would be written. */
export type Handed = { events: readonly ParleyEvent[] } | { event: string; data: string };

/**
 * The way of a stream's events to a client in the same process: they are given as they are, in place of text that would be
 * written and read again. The client sends it with its request, and the stream that answers says whether it is used.
 */
export interface Handover {
  /** Everything comes this way. Events are in the response's body otherwise. */
  use(): void;
  /** Gives something of so many characters. A promise says that it is full: give more when that resolves. */
  give(handed: Handed, weight: number): Promise<void> | undefined;
  /** How much was taken so far; undefined while nothing waits. */
  readonly progress: number | undefined;
  /** The connection is over: what waits is still taken, then the error. */
  end(error: unknown): void;
}

/** A request that carries one. Only a server in the same process sees it. */
export interface RequestWithHandover extends RequestInit {
  handover?: Handover;
}
