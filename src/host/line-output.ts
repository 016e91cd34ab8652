import type { Readable } from "node:stream";
import type { LineEvents } from "./contract.ts";
import { watchDrain } from "./drain.ts";
import { collectYoung } from "./garbage.ts";
import { createLineSplitter } from "./lines/line-splitter.ts";

/**
 * Chunks of a huge line are garbage as soon as they are copied or skipped, but V8 sees only small objects in them and
 * would let them pile up; the system does not get small blocks back. So they are collected every so many bytes.
 */
const COLLECT_EVERY = 8 * 1024 * 1024;

/** Reads a program's stdout as lines. A pause also holds back the lines of a chunk that was read already. */
export function readLines(stream: Readable, events: LineEvents) {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let held: (() => void)[] = [];
  let paused = false;
  let drained = false;
  let last = false;
  let sinceLine = 0;

  const deliver = (call: () => void): void => {
    sinceLine = 0;
    if (paused) held.push(call);
    else call();
  };
  const splitter = createLineSplitter({
    line(text, left) {
      if (paused) return deliver(() => events.line(text, left));
      sinceLine = 0;
      events.line(text, left);
    },
    unreadable: (sample, bytes) => deliver(() => events.unreadable?.(sample, bytes)),
    oversize: (bytes) => deliver(() => events.oversize(bytes)),
  });
  stream.on("data", (chunk: Buffer) => {
    // Node lets a paused stream flow again when its program exits.
    if (paused) stream.pause();
    if (drained) return;
    sinceLine += chunk.length;
    splitter.push(chunk);
    if (sinceLine < COLLECT_EVERY) return;
    sinceLine = 0;
    collectYoung();
  });
  const drain = watchDrain(stream, () => {
    drained = true;
    splitter.end();
    if (!paused) resolve();
  });

  const resume = (): void => {
    if (!paused) return;
    paused = false;
    const calls = held;
    held = [];
    for (let i = 0; i < calls.length; i++) {
      calls[i]?.();
      if (paused) {
        held = [...calls.slice(i + 1), ...held];
        return;
      }
    }
    if (drained) resolve();
    stream.resume();
    drain.release();
  };

  return {
    /** Resolves after the last line was delivered. */
    done,
    programExited: drain.programExited,
    pause(): void {
      if (last) return;
      paused = true;
      drain.hold();
      stream.pause();
    },
    resume,
    /** Delivers the rest whatever is paused now or later: it is little, for the program is gone. */
    deliverRest(): void {
      last = true;
      resume();
    },
  };
}
