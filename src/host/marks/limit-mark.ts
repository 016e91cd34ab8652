import { createHash } from "node:crypto";

/**
 * A limit on file locks is inherited by every process, like a group or a variable, but neither `setsid` nor an empty
 * environment takes it away. Linux has not enforced it since 2.4.25, and anybody may read it. So its value is a mark.
 */
export interface LockLimit {
  /** Undefined is unlimited, as the system starts every process. */
  soft: bigint | undefined;
  hard: bigint | undefined;
}

/** 40 bits of the instance, 21 of the run. */
const RUN_BITS = 21n;
const INSTANCE_BITS = 40n;
export const RUNS = 2 ** Number(RUN_BITS);

/** A Parley without a mark of its own marks the hard limit; one inside an agent of another marks the soft one below it. */
const OUTER = 1n << 62n;
const INNER = 1n << 61n;
const PAYLOAD = (1n << 61n) - 1n;

const instanceNumber = (instance: string): bigint =>
  BigInt(`0x${createHash("sha256").update(instance).digest("hex").slice(0, 16)}`) >> (64n - INSTANCE_BITS);

/** The number that names one program of an instance. */
export function numberOf(instance: string, run: number): bigint {
  return (instanceNumber(instance) << RUN_BITS) | BigInt(run);
}

const limitIn = (text: string | undefined): bigint | undefined =>
  text === undefined || text === "unlimited" ? undefined : BigInt(text);

/** Reads /proc/<pid>/limits. */
export function parseLimits(text: string): LockLimit | undefined {
  const found = /^Max file locks +(\d+|unlimited) +(\d+|unlimited) /m.exec(text);
  return found ? { soft: limitIn(found[1]), hard: limitIn(found[2]) } : undefined;
}

const isOuter = (value: bigint | undefined): boolean =>
  value !== undefined && value >= OUTER && value <= OUTER + PAYLOAD;
const isInner = (value: bigint | undefined): boolean => value !== undefined && value >= INNER && value < OUTER;

/** The numbers that a process carries. */
export function numbersIn({ soft, hard }: LockLimit): bigint[] {
  const numbers: bigint[] = [];
  if (hard !== undefined && isOuter(hard)) numbers.push(hard - OUTER);
  if (soft !== undefined && isInner(soft)) numbers.push(soft - INNER);
  return numbers;
}

/** Whether a number is one of this instance's. */
export function isOfInstance(number: bigint, instance: string): boolean {
  return number >> RUN_BITS === instanceNumber(instance);
}

/** The limit for a program that a process with the limit `own` starts; undefined where no mark can be added. */
export function limitFor(number: bigint, own: LockLimit): LockLimit | undefined {
  if (own.hard === undefined) return { soft: OUTER + number, hard: OUTER + number };
  if (isOuter(own.hard) && !isInner(own.soft)) return { soft: INNER + number, hard: own.hard };
  return undefined;
}
