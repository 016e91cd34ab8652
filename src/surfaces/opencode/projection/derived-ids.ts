import { hash } from "node:crypto";
import { timePart } from "../../../core/ids.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Characters that stand for a text: the same text gives the same ones, always. */
export function digestChars(text: string, length: number): string {
  // A byte for each character: half the time that a buffer takes.
  const bytes = hash("sha256", text, "binary");
  let chars = "";
  for (let at = 0; at < length; at++) chars += BASE62[bytes.charCodeAt(at) % 62];
  return chars;
}

/**
 * The id of a message or part that the log does not name. Clients sort by id: this one sorts before every id that was
 * made after `time`.
 */
export function derivedId(prefix: "msg" | "prt", time: number, seed: string): string {
  return `${prefix}_${timePart(time, 0, false)}${digestChars(seed, 14)}`;
}

/** An id right behind another, before all that were made later: a longer text sorts after its own beginning. */
export function idBehind(id: string, mark: string): string {
  return `${id}${mark}`;
}

/** Numbers the OpenCode events that become of one event of the log: the same on every replay. */
export class EventIds {
  readonly #mark: string;
  #time = -1;
  #timePart = "";

  constructor(session: string) {
    this.#mark = digestChars(session, 5);
  }

  id(time: number, seq: number, index: number): string {
    if (time !== this.#time) {
      this.#time = time;
      this.#timePart = timePart(time, 0, false);
    }
    return `evt_${this.#timePart}${this.#mark}${seq.toString(36).padStart(6, "0")}${index.toString(36).padStart(3, "0")}`;
  }
}
