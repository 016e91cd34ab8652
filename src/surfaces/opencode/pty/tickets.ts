import { randomUUID } from "node:crypto";

const LIFE_S = 60;
const MOST = 1_000;

/**
 * Rights to open one WebSocket, once: a page cannot send a header with it, and a token in its address would be written
 * down along the way.
 */
export class PtyTickets {
  readonly #tickets = new Map<string, { pty: string; until: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  issue(pty: string): { ticket: string; expires_in: number } {
    for (const [ticket, { until }] of this.#tickets) {
      if (until > this.#now() && this.#tickets.size < MOST) break;
      this.#tickets.delete(ticket);
    }
    const ticket = randomUUID();
    this.#tickets.set(ticket, { pty, until: this.#now() + LIFE_S * 1_000 });
    return { ticket, expires_in: LIFE_S };
  }

  /** Whether the ticket is good for this terminal. It is used up in any case. */
  take(ticket: string, pty: string): boolean {
    const found = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    return found !== undefined && found.pty === pty && found.until > this.#now();
  }
}
