import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { eventually } from "../../support/eventually.ts";
import type { Random } from "../../support/random.ts";
import type { Book } from "./book.ts";
import { pauser } from "./moments.ts";
import type { ChaosNode } from "./node.ts";
import { follow } from "./stream.ts";

export interface WatcherOptions {
  nodes: readonly ChaosNode[];
  book: Book;
  random: Random;
  signal: AbortSignal;
}

/** A connection is kept for so long, at most: then its client comes back through another node. */
const LONGEST_MS = 4_000;

/** A client that watches streams through one node after the other, and goes on by its cursor. */
export class Watcher {
  private readonly options: WatcherOptions;
  private readonly name: string;
  /** The last position that it was told, of all sessions. */
  position = 0;

  constructor(name: string, options: WatcherOptions) {
    this.name = name;
    this.options = options;
  }

  private stay(): AbortSignal {
    const { signal, random } = this.options;
    return AbortSignal.any([signal, AbortSignal.timeout(random.between(200, LONGEST_MS))]);
  }

  /** Watches all sessions, until the signal. */
  async watchAll(): Promise<void> {
    const { signal, random, nodes, book } = this.options;
    const watch = book.watch(this.name, 0);
    const pause = pauser(signal);
    while (!signal.aborted) {
      const url = `${random.pick(nodes).url}/v1/stream`;
      const status = await follow(url, `all:${this.position}`, this.stay(), ({ id, json }, kind) => {
        if (kind !== "") return;
        this.position = Number(id.slice("all:".length));
        const { session, seq } = this.saw(json);
        watch.events.push({ position: this.position, session, seq });
      });
      if (status !== 200) await pause(random.between(20, 200));
      if (status === 400) book.surprises.push(`${this.name} was refused its cursor all:${this.position}`);
    }
  }

  /** Resolves when it was told of all up to a position. */
  async reached(position: number): Promise<void> {
    await eventually(`${this.name} is at position ${position}`, () => this.position >= position);
  }

  /** Watches one session after the other from its beginning, until the signal. */
  async watchSessions(): Promise<void> {
    const { signal, random, book } = this.options;
    const pause = pauser(signal);
    while (!signal.aborted) {
      if (book.sessions.length === 0) await pause(50);
      else await this.watchOne(random.pick(book.sessions), random.between(1, 3));
    }
  }

  private async watchOne(session: string, connections: number): Promise<void> {
    const { signal, random, nodes, book } = this.options;
    const pause = pauser(signal);
    let last = 0;
    for (let left = connections; left > 0 && !signal.aborted; left--) {
      const url = `${random.pick(nodes).url}/v1/sessions/${session}/stream`;
      const status = await follow(url, `${session}:${last}`, this.stay(), ({ json }, kind) => {
        if (kind !== "") return void book.surprises.push(`${this.name} was told of a ${kind} in ${session}`);
        const { seq, folded = 0 } = this.saw(json);
        if (seq <= last || seq - folded - 1 > last)
          book.surprises.push(`${this.name} got ${session}:${seq} (folded ${folded}) after ${last}`);
        last = seq;
      });
      if (status === 404) book.surprises.push(`${this.name} was told that there is no session ${session}`);
      if (status !== 200) await pause(random.between(20, 200));
    }
  }

  private saw(json: string): ParleyEvent {
    const event = JSON.parse(json) as ParleyEvent;
    this.options.book.saw({ session: event.session, seq: event.seq, json, client: this.name });
    return event;
  }
}
