import { write } from "node:fs";

/** A reader that stands still must not fill the memory: beyond this, lines are dropped. */
const BUFFER_LENGTH = 4 * 1024 * 1024;
const TRY_AGAIN_MS = 20;

export interface LineWriter {
  write(line: string): void;
  /** Resolves when all is written, or cannot be. */
  flush(): Promise<void>;
}

/** Writes lines to a file descriptor in their order, never blocking: a slow reader of the log must not slow the server. */
export function lineWriter(fd: number): LineWriter {
  let waiting = "";
  let busy = false;
  let gone = false;
  let flushed: PromiseWithResolvers<void> | undefined;

  function settle(): void {
    busy = false;
    flushed?.resolve();
    flushed = undefined;
  }

  function put(bytes: Buffer): void {
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error?.code === "EAGAIN") {
        setTimeout(put, TRY_AGAIN_MS, bytes);
      } else if (error) {
        gone = true;
        waiting = "";
        settle();
      } else if (written < bytes.length) {
        put(bytes.subarray(written));
      } else next();
    });
  }

  function next(): void {
    if (waiting === "") return settle();
    const text = waiting;
    waiting = "";
    put(Buffer.from(text));
  }

  return {
    write(line) {
      if (gone || waiting.length + line.length > BUFFER_LENGTH) return;
      waiting += line;
      if (busy) return;
      busy = true;
      // Lines of the same tick go out together.
      setImmediate(next);
    },
    flush() {
      if (!busy) return Promise.resolve();
      flushed ??= Promise.withResolvers<void>();
      return flushed.promise;
    },
  };
}
