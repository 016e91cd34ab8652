import type { Readable } from "node:stream";

// The last output of a program fits the system's buffer and is read in one go: two looks are plenty.
const LOOK_MS = 200;
const MAX_LOOKS = 2;

/**
 * Calls `done` once, when no more of a program's output can come: the stream has ended, or its program has exited and the
 * stream, which a stray child may hold open for ever, has nothing to read or only the stray's own words.
 */
export function watchDrain(stream: Readable, done: () => void) {
  let exited = false;
  let held = false;
  let finished = false;
  let looks = 0;
  let bytes = 0;
  let bytesBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  const finish = (): void => {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    stream.destroy();
    done();
  };

  const look = (): void => {
    if (finished || held) return;
    looks += 1;
    if (bytes === bytesBefore || looks >= MAX_LOOKS) finish();
    else arm();
  };

  // After a busy spell timers run first; the look waits until the system was asked once more for what can be read.
  const arm = (): void => {
    clearTimeout(timer);
    bytesBefore = bytes;
    timer = setTimeout(() => setImmediate(look), LOOK_MS);
  };

  stream.on("data", (chunk: Buffer) => {
    if (exited) bytes += chunk.length;
  });
  stream.once("end", finish);
  stream.once("close", finish);
  stream.on("error", finish);

  return {
    /** The program is gone: from now on the stream is only waited for a bounded while. */
    programExited(): void {
      exited = true;
      if (!held && !finished) arm();
    },
    /** While held, nothing is read and so no time passes. */
    hold(): void {
      held = true;
      clearTimeout(timer);
    },
    release(): void {
      held = false;
      if (exited && !finished) arm();
    },
  };
}
