import { randomBytes } from "node:crypto";
import { neverBack } from "../../core/clock.ts";
import { timePart } from "../../core/ids.ts";
import type { OpencodeEvent } from "./shapes/event.ts";

export type BusListener = (directory: string | null, event: OpencodeEvent) => void;

/** Events that belong to no session, and that nobody can ask for again: terminals, the TUI's remote control, the like. */
export class Bus {
  readonly #listeners = new Set<BusListener>();
  #counter = 0;
  readonly #now = neverBack(Date.now, () => performance.now());

  /** Null for what concerns every directory. */
  publish(directory: string | null, type: string, properties: Record<string, unknown>): void {
    const event = { id: this.newId(), type, properties };
    for (const listener of this.#listeners) listener(directory, event);
  }

  listen(listener: BusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  newId(): string {
    this.#counter = (this.#counter + 1) % 0x1000;
    return `evt_${timePart(this.#now(), this.#counter, false)}${randomBytes(7).toString("hex")}`;
  }
}
