import { canonicalAddress } from "./addresses.ts";

export interface FailureLimits {
  failures: number;
  windowMs: number;
  /** How many addresses are remembered; the oldest is forgotten first. */
  addresses: number;
}

export const FAILURE_LIMITS: FailureLimits = { failures: 20, windowMs: 60_000, addresses: 10_000 };

/** One household's IPv6 addresses share their first half, so they count as one. */
function keyOf(remote: string): string {
  const address = canonicalAddress(remote) ?? remote;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill("0"), ...right].slice(0, 4).join(":");
}

/** Wrong tokens by remote address, within windows that begin with the first of them. */
export class FailureTable {
  readonly #limits: FailureLimits;
  readonly #entries = new Map<string, { count: number; until: number }>();

  constructor(limits: FailureLimits = FAILURE_LIMITS) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Milliseconds until the address may try again; 0 when it may now. */
  blockedFor(remote: string, now: number): number {
    const entry = this.#entries.get(keyOf(remote));
    if (!entry || entry.count < this.#limits.failures) return 0;
    return Math.max(0, entry.until - now);
  }

  fail(remote: string, now: number): void {
    const key = keyOf(remote);
    const entry = this.#entries.get(key);
    if (entry && entry.until > now) {
      entry.count++;
      return;
    }
    this.#entries.delete(key);
    if (this.#entries.size >= this.#limits.addresses) this.#forget(now);
    this.#entries.set(key, { count: 1, until: now + this.#limits.windowMs });
  }

  /** Entries stand in the order of their windows, so the first ones are the first to expire. */
  #forget(now: number): void {
    for (const [key, entry] of this.#entries) {
      if (entry.until > now && this.#entries.size < this.#limits.addresses) return;
      this.#entries.delete(key);
    }
  }
}
