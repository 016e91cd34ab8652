import { createHash, randomBytes } from "node:crypto";

/** A link that lets a browser in is good for this long. */
export const CODE_MS = 5 * 60_000;

/** So many are remembered, the newest: those that were used or are too old, too, to say so. */
const REMEMBERED = 1_000;

export type CodeVerdict = "good" | "used" | "expired" | "unknown";

const digest = (code: string): string => createHash("sha256").update(code).digest("base64url");

/**
 * Codes that each let one browser in, once. Only this process knows them, by their digests: the time of a search tells
 * nothing of a code.
 */
export class ConsoleCodes {
  readonly #now: () => number;
  readonly #prefix: () => string;
  readonly #codes = new Map<string, { until: number; used: boolean }>();

  /** `prefix` says which of several nodes knows a code. */
  constructor(prefix: () => string = () => "", now: () => number = () => performance.now()) {
    this.#prefix = prefix;
    this.#now = now;
  }

  make(): string {
    const code = `${this.#prefix()}${randomBytes(24).toString("base64url")}`;
    this.#codes.set(digest(code), { until: this.#now() + CODE_MS, used: false });
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size <= REMEMBERED) break;
      this.#codes.delete(oldest);
    }
    return code;
  }

  /** Takes a code: the next one who shows it hears that it was used. */
  take(code: string): CodeVerdict {
    const found = this.#codes.get(digest(code));
    if (!found) return "unknown";
    if (found.used) return "used";
    if (found.until <= this.#now()) return "expired";
    found.used = true;
    return "good";
  }
}
