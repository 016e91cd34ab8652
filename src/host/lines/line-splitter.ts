import type { LineEvents } from "../contract.ts";
import { createLineShortener, type LineShortener } from "./line-shortener.ts";

const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A longer line is shortened as it comes: it is never held as a whole, and never read in one go. */
const SHORTEN_BYTES = 256 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const FIRST_CAPACITY = 64 * 1024;
const SAMPLE_BYTES = 1024;

/** A long line on its way through the shortener. */
interface Long {
  shortener: LineShortener;
  sample: string;
}

/**
 * Cuts bytes into lines at LF only and decodes whole lines only, so that no way of chunking can change a line. Long lines
 * are shortened; the bytes of a line over the limit are counted and forgotten.
 */
export function createLineSplitter(events: LineEvents, limits: { line?: number; shorten?: number } = {}) {
  const { line: limit = MAX_LINE_BYTES, shorten = SHORTEN_BYTES } = limits;
  let partial = Buffer.alloc(0);
  let length = 0;
  let skipped = 0;
  let long: Long | undefined;

  const deliver = (bytes: Buffer, start: number, end: number): void => {
    const stop = end > start && bytes[end - 1] === CR ? end - 1 : end;
    events.line(bytes.toString("utf8", start, stop));
  };

  const deliverLong = ({ shortener, sample }: Long, bytes: number): void => {
    const shortened = shortener.end();
    if (shortened) events.line(shortened.text, shortened.left);
    else events.unreadable?.(sample, bytes);
  };

  const keep = (chunk: Buffer, start: number, end: number): void => {
    const size = end - start;
    if (skipped > 0 || length + size > limit) {
      skipped += length + size;
      forget();
    } else if (long || length + size > shorten) {
      long ??= begun(chunk, start, end);
      long.shortener.push(chunk.subarray(start, end));
      length += size;
    } else hold(chunk, start, end);
  };

  const begun = (chunk: Buffer, start: number, end: number): Long => {
    const shortener = createLineShortener();
    const sample = (length > 0 ? partial.subarray(0, length) : chunk.subarray(start, end)).subarray(0, SAMPLE_BYTES);
    if (length > 0) shortener.push(partial.subarray(0, length));
    partial = Buffer.alloc(0);
    return { shortener, sample: sample.toString() };
  };

  // Doubling, so that a line in tiny chunks costs linear time.
  const hold = (chunk: Buffer, start: number, end: number): void => {
    const size = end - start;
    if (length + size > partial.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length + size, FIRST_CAPACITY, partial.length * 2));
      partial.copy(grown, 0, 0, length);
      partial = grown;
    }
    chunk.copy(partial, length, start, end);
    length += size;
  };

  const forget = (): void => {
    if (partial.length > FIRST_CAPACITY) partial = Buffer.alloc(0);
    long = undefined;
    length = 0;
  };

  const finish = (chunk: Buffer, start: number, end: number): void => {
    if (length === 0 && skipped === 0 && end - start <= Math.min(limit, shorten)) {
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
    const [line, size, through] = [partial, length, long];
    forget();
    if (through) deliverLong(through, size);
    else deliver(line, 0, size);
  };

  return {
    push(chunk: Buffer): void {
      let start = 0;
      while (start < chunk.length) {
        const at = chunk.indexOf(LF, start);
        if (at === -1) return keep(chunk, start, chunk.length);
        finish(chunk, start, at);
        start = at + 1;
      }
    },
    /** Delivers a last line that had no line feed. */
    end(): void {
      if (length > 0 || skipped > 0) finish(partial, 0, 0);
    },
  };
}
