import type { Fields } from "../../../core/json/fields.ts";

/** Characters of events that are kept. */
const MOST = 8 * 1024 * 1024;

export interface KeptEvent {
  event: Fields;
  text: string;
}

/** Events that wait while a session is paused. More than can be kept are forgotten: the program can be asked for what they told. */
export class Backlog {
  #events: KeptEvent[] = [];
  #length = 0;

  /** False when this event, and all before it, were forgotten. */
  add(kept: KeptEvent): boolean {
    this.#length += kept.text.length;
    if (this.#length > MOST) return this.clear();
    this.#events.push(kept);
    return true;
  }

  clear(): false {
    this.#events = [];
    this.#length = 0;
    return false;
  }

  get events(): readonly KeptEvent[] {
    return this.#events;
  }
}
