import type { EventRecord, Log } from "../../src/log/contract.ts";
import { type Tail, type TailQuery, type TailSink, tail, tailAll } from "../../src/log/tail.ts";
import { drafts } from "./drafts.ts";

export interface Probe {
  tail: Tail;
  records: EventRecord[];
  pages: number[];
  gaps: [number, number][];
  errors: unknown[];
  /** Resolves when so many records have come. */
  has(count: number): Promise<void>;
}

/** A tail into an array. `write` decides whether the sink is full. */
export function follow(
  log: Log,
  query: TailQuery & { session: string | null },
  write?: (records: readonly EventRecord[]) => Promise<void> | undefined,
): Probe {
  const waiting: { count: number; resolve(): void }[] = [];
  const probe = {
    records: [] as EventRecord[],
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
  const following = query.session === null ? tailAll(log, query, sink) : tail(log, query.session, query, sink);
  return Object.assign(probe, { tail: following, has });
}

/** So many deltas of an item. */
export const some = (count: number, item = "A") => Array.from({ length: count }, (_, n) => drafts.delta(item, `${n}`));
/** The numbers from 1. */
export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
