import type { SessionEvent, SessionEvents } from "../shapes/event.ts";
import type { Part } from "../shapes/message.ts";
import { EventIds } from "./derived-ids.ts";

/** An event for clients. */
export interface Projected {
  event: SessionEvent;
  /** The whole part so far, beside a `message.part.delta`: the older dialect sends it along. */
  part?: Part;
}

/** Collects what becomes of one event of the log. */
export class Outbox {
  readonly #session: string;
  #ids: EventIds | undefined;
  #said: Projected[] = [];
  /** Nobody listens: nothing is collected. */
  readonly silent: boolean;
  /** The number of the event of the log. */
  seq = 0;
  /** When it was made. */
  time = 0;

  constructor(session: string, silent = false) {
    this.#session = session;
    this.silent = silent;
  }

  begin(time: number, seq: number): void {
    if (!this.silent) this.#said = [];
    this.seq = seq;
    this.time = time;
  }

  say<T extends keyof SessionEvents>(type: T, properties: SessionEvents[T], part?: Part): void {
    if (this.silent) return;
    this.#ids ??= new EventIds(this.#session);
    const id = this.#ids.id(this.time, this.seq, this.#said.length);
    const event = { id, type, properties } as SessionEvent;
    this.#said.push(part === undefined ? { event } : { event, part });
  }

  take(): Projected[] {
    return this.#said;
  }
}
