import assert from "node:assert/strict";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { Api } from "./api.ts";
import type { SseReader } from "./sse.ts";

/**
 * A client of the stream of all sessions that loses its connection now and then and comes back with its cursor. It counts what
 * it sees as it goes, so that it can watch for long.
 */
export class Watcher {
  busy = 0;
  idle = 0;
  /** Events that should not have come. */
  readonly wrongs: string[] = [];
  losses = 0;
  private readonly api: Api;
  private readonly open = new Map<string, string>();
  private readonly ended = new Set<string>();
  private readonly last = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  private reader: SseReader | undefined;
  private cursor = "";
  private losing = Promise.resolve();

  constructor(api: Api) {
    this.api = api;
  }

  async start(): Promise<void> {
    const headers: Record<string, string> = this.cursor === "" ? {} : { "last-event-id": this.cursor };
    const reader = await this.api.stream(null, this.cursor === "" ? "?after=0" : "", headers);
    this.reader = reader;
    let taken = 0;
    void reader
      .when(({ events, ids }) => {
        for (; taken < events.length; taken++) {
          const event = events[taken];
          if (event) this.take(event);
          this.cursor = ids[taken] ?? this.cursor;
        }
        for (const look of this.waiting) look();
        return undefined;
      }, "for ever")
      .catch(() => undefined);
  }

  /** Loses its connection at any moment, and comes back. */
  lose(): Promise<void> {
    this.losses++;
    this.losing = this.losing.then(async () => {
      await this.reader?.close();
      await this.start();
    });
    return this.losing;
  }

  /** Resolves when so many turns have ended before its eyes. */
  async untilIdle(turns: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (this.idle < turns) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    await this.reader?.close();
  }

  /** Every turn began once and ended once, nothing of it came later, and no number was missed. */
  assertRight(turns: number): void {
    assert.deepEqual(this.wrongs.slice(0, 10), []);
    assert.deepEqual(
      { busy: this.busy, idle: this.idle, open: [...this.open] },
      { busy: turns, idle: turns, open: [] },
    );
  }

  private take(event: ParleyEvent): void {
    const { session, seq, folded = 0, turn } = event;
    const last = this.last.get(session) ?? 0;
    if (seq <= last || seq - folded - 1 > last) this.wrongs.push(`${event.id} (folded ${folded}) after ${last}`);
    this.last.set(session, seq);
    if (turn !== undefined && this.ended.has(turn))
      this.wrongs.push(`${event.type} ${event.id} after the end of its turn`);
    if (event.type === "turn.started") {
      if (this.open.has(session)) this.wrongs.push(`${event.id} begins a turn inside another`);
      this.open.set(session, turn ?? "");
      this.busy++;
    } else if (event.type === "turn.ended") {
      if (this.open.get(session) !== turn) this.wrongs.push(`${event.id} ends a turn that is not open`);
      this.open.delete(session);
      this.ended.add(turn ?? "");
      this.idle++;
    }
  }
}
