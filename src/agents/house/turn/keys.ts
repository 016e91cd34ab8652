import { randomBytes } from "node:crypto";

/** The strictest provider takes 40 characters; there must be room for a number. */
const MAX_CALL = 34;

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

  /**
   * The model's own id where it is new and every provider takes it: some models count anew in each answer, and the next
   * model of the session may be another company's.
   */
  call(id: string): string {
    const base = id.replaceAll(/[^\w-]/g, "_").slice(0, MAX_CALL) || "call";
    let key = base;
    for (let at = 2; this.#calls.has(key); at++) key = `${base}_${at}`;
    this.#calls.add(key);
    return key;
  }
}
