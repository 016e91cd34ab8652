import { fstatSync, writeSync } from "node:fs";

type Written = (error?: Error | null) => void;

/** Writes to the real stdout. */
export type WriteOut = (text: string, written: Written) => void;

/** A pipe takes so many bytes whole or not at all. */
const AT_ONCE = 4096;

/** Keeps stdout for the protocol: whatever any other code prints goes to stderr from now on. */
export function takeStdout({ stdout, stderr }: Pick<NodeJS.Process, "stdout" | "stderr"> = process): WriteOut {
  const write = stdout.write.bind(stdout) as (text: string | Uint8Array, written: Written) => boolean;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const isPipe = leadsToPipe(stdout.fd);
  return (text, written) => {
    const isFree = isPipe && stdout.writable && stdout.writableLength === 0;
    const rest = isFree && text.length * 3 <= AT_ONCE ? writtenNow(stdout.fd, text) : text;
    if (rest === undefined) written();
    else write(rest, written);
  };
}

/** Whether a file is a pipe or a socket: Node has set those not to wait, so that a write returns at once, full or not. Not so on Windows. */
function leadsToPipe(fd: number | undefined): boolean {
  if (process.platform === "win32") return false;
  try {
    const stats = fd === undefined ? undefined : fstatSync(fd);
    return stats !== undefined && (stats.isFIFO() || stats.isSocket());
  } catch {
    return false;
  }
}

/**
 * Writes by the system's call alone: the stream's way costs twice as much for a short text. Returns what is left for the
 * stream, which waits for a reader that is behind and tells of one that is gone.
 */
function writtenNow(fd: number, text: string): string | Uint8Array | undefined {
  try {
    const bytes = writeSync(fd, text);
    if (bytes >= text.length && bytes === Buffer.byteLength(text)) return undefined;
    return Buffer.from(text).subarray(bytes);
  } catch {
    return text;
  }
}
