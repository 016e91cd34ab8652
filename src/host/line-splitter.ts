import type { LineEvents } from "./contract.ts";

const MAX_LINE_BYTES = 64 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const FIRST_CAPACITY = 64 * 1024;

/** From here on a line gets room for the longest one at once. */
const LARGE = 1024 * 1024;

/**
 * Doubling, so that a line in tiny chunks costs linear time. A large line gets one block of the largest size: what is not
 * written to costs nothing, and the system takes a block of that size back when it is freed, unlike the many smaller ones.
 */
function capacityAfter(capacity: number, limit: number): number {
  return Math.min(limit, capacity >= LARGE ? limit : Math.max(FIRST_CAPACITY, capacity * 2));
}

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Delivers a last line that had no line feed. */
  end(): void;
}

/**
 * Cuts bytes into lines at LF only and decodes whole lines only, so that no way of chunking can change a line. The bytes
 * of a line over the limit are counted and forgotten.
 */
export function createLineSplitter(events: LineEvents, limit = MAX_LINE_BYTES): LineSplitter {
  let partial = Buffer.alloc(0);
  let length = 0;
  let skipped = 0;

  const deliver = (bytes: Buffer, start: number, end: number): void => {
    const stop = end > start && bytes[end - 1] === CR ? end - 1 : end;
    events.line(bytes.toString("utf8", start, stop));
  };

  const keep = (chunk: Buffer, start: number, end: number): void => {
    const size = end - start;
    if (skipped > 0 || length + size > limit) {
      skipped += length + size;
      forget();
      return;
    }
    if (length + size > partial.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length + size, capacityAfter(partial.length, limit)));
      partial.copy(grown, 0, 0, length);
      partial = grown;
    }
    chunk.copy(partial, length, start, end);
    length += size;
  };

  const forget = (): void => {
    if (partial.length > FIRST_CAPACITY) partial = Buffer.alloc(0);
    length = 0;
  };

  const finish = (chunk: Buffer, start: number, end: number): void => {
    if (length === 0 && skipped === 0 && end - start <= limit) {
      deliver(chunk, start, end);
      return;
    }
    keep(chunk, start, end);
    if (skipped > 0) {
      const bytes = skipped;
      skipped = 0;
      events.oversize(bytes);
      return;
    }
    const line = partial;
    const size = length;
    forget();
    deliver(line, 0, size);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, start)) {
        finish(chunk, start, at);
        start = at + 1;
      }
      if (start < chunk.length) keep(chunk, start, chunk.length);
    },
    end() {
      if (length > 0 || skipped > 0) finish(partial, 0, 0);
    },
  };
}
