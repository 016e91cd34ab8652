import type { Log, LogRecord } from "../../src/log/contract.ts";
import { type Tail, type TailQuery, type TailSink, tail } from "../../src/log/tail.ts";
import { drafts } from "./drafts.ts";

export interface Probe {
  tail: Tail;
  records: LogRecord[];
  pages: number[];
  gaps: [number, number][];
  errors: unknown[];
  /** Resolves when so many records have come. */
  has(count: number): Promise<void>;
}

/** A tail into an array. `write` decides whether the sink is full. */
export function follow(
  log: Log,
  query: TailQuery,
  write?: (records: readonly LogRecord[]) => Promise<void> | undefined,
): Probe {
  const waiting: { count: number; resolve(): void }[] = [];
  const probe = {
    records: [] as LogRecord[],
    pages: [] as number[],
    gaps: [] as [number, number][],
    errors: [] as unknown[],
  };
  const sink: TailSink = {
    write(records) {
      probe.records.push(...records);
      probe.pages.push(records.length);
      for (const { count, resolve } of waiting) if (probe.records.length >= count) resolve();
      return write?.(records);
    },
    gap(after, next) {
      probe.gaps.push([after, next.seq]);
      return undefined;
    },
    failed: (error) => probe.errors.push(error),
  };
  const has = (count: number) =>
    new Promise<void>((resolve) => {
      if (probe.records.length >= count) resolve();
      else waiting.push({ count, resolve });
    });
  return Object.assign(probe, { tail: tail(log, query, sink), has });
}

/** So many deltas of an item. */
export const some = (count: number, item = "A") => Array.from({ length: count }, (_, n) => drafts.delta(item, `${n}`));
/** The numbers from 1. */
export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
