import { randomFillSync } from "node:crypto";

/** The kinds of ids and their prefixes. The prefix is part of the id, as in OpenCode, so that one id serves every surface. */
export const PREFIX = {
  session: "ses",
  turn: "trn",
  message: "msg",
  item: "prt",
  permission: "per",
  question: "que",
  terminal: "pty",
} as const;

export type IdKind = keyof typeof PREFIX;

/** Makes a fresh id of a kind. Injected into the ledger so that tests can use a counter. */
export type MakeId = (kind: IdKind) => string;

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 14;
const TIME_MASK = (1n << 48n) - 1n;

const pool = new Uint8Array(4096);
let poolAt = pool.length;

function randomChars(length: number): string {
  if (poolAt + length > pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  let out = "";
  for (let i = 0; i < length; i++) out += BASE62[(pool[poolAt++] ?? 0) % 62];
  return out;
}

/** Time in 48 bits (milliseconds times 4096, plus a counter), inverted for kinds that list newest first. */
export function timePart(ms: number, counter: number, newestFirst: boolean): string {
  const value = (BigInt(ms) * 0x1000n + BigInt(counter)) & TIME_MASK;
  return (newestFirst ? TIME_MASK ^ value : value).toString(16).padStart(12, "0");
}

/** A source of ids that never repeats and never steps back, even when the clock does. All its ids sort behind the time `from`. */
export function idSource(now: () => number, from = 0): MakeId {
  let lastMs = from;
  let counter = 0;
  return (kind) => {
    const ms = Math.max(now(), lastMs);
    counter = ms === lastMs ? counter + 1 : 1;
    lastMs = ms;
    return `${PREFIX[kind]}_${timePart(ms, counter, kind === "session")}${randomChars(RANDOM_LENGTH)}`;
  };
}

/** The characters that an id may contain: clients make ids, too. */
const ID_SHAPE = /^[a-z]{3}_[A-Za-z0-9_-]{1,64}$/;

export function isId(kind: IdKind, value: string): boolean {
  return ID_SHAPE.test(value) && value.startsWith(`${PREFIX[kind]}_`);
}
