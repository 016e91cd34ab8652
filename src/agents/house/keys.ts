import { randomBytes } from "node:crypto";

/** Names for texts, calls and asks that no other of the session has, nor any of the session's earlier agents. */
export class Keys {
  readonly prefix = `h${randomBytes(4).toString("hex")}`;
  readonly #calls: Set<string>;
  #items = 0;

  constructor(calls: Iterable<string>) {
    this.#calls = new Set(calls);
  }

  item(): string {
    return `${this.prefix}_${++this.#items}`;
  }

  /** The model's own id where it is new; some models count anew in each answer. */
  call(id: string): string {
    let key = id;
    for (let at = 2; this.#calls.has(key); at++) key = `${id}_${at}`;
    this.#calls.add(key);
    return key;
  }
}
