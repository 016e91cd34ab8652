import { constants, fstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { messageOf } from "../../core/errors.ts";
import { processInfo } from "../../host/process-identity.ts";
import { CliError, usageError } from "../exit.ts";

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean;
  /** The file descriptor; absent in tests. */
  fd?: number;
}

export interface Patience {
  /** How long the first byte of input that nobody asked for is waited for. */
  firstByteMs: number;
  tell(line: string): void;
}

/** More than any model reads at once. A server takes 10 MiB, and JSON spells some bytes out. */
const MOST_BYTES = 4_000_000;

const ADVICE = "save it as a file and name that in the prompt";

function decoded(bytes: Buffer): string {
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw usageError(`expected text on stdin, got binary data (a zero at byte ${nul + 1}): ${ADVICE}`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`expected text in UTF-8 on stdin, got other bytes: ${ADVICE}`);
  }
}

/** All processes above this one: those that started it. */
function ancestors(): Set<number> {
  const above = new Set<number>();
  for (let pid = process.ppid; pid > 0 && !above.has(pid); pid = processInfo(pid)?.parent ?? 0) above.add(pid);
  return above;
}

function isOpenForWriting(pid: string, fd: string): boolean {
  const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "latin1")) ?? [];
  return (Number.parseInt(flags, 8) & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
}

function writesTo(pid: string, pipe: { dev: number; ino: number }): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const file = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false });
      return file !== undefined && file.ino === pipe.ino && file.dev === pipe.dev && isOpenForWriting(pid, fd);
    });
  } catch {
    // It has ended, or belongs to another user.
    return false;
  }
}

/**
 * Whether a process beside this one can write to the pipe, as in `slow | parley run "…"`. A pipe that only processes above
 * hold was inherited: of a CI runner, of `ssh`, of a script. It may never end.
 */
function inPipeline({ fd }: Input): boolean {
  if (fd === undefined || process.platform !== "linux") return false;
  const pipe = fstatSync(fd);
  if (!pipe.isFIFO()) return false;
  const above = ancestors();
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return others.some((pid) => !above.has(Number(pid)) && writesTo(pid, pipe));
}

/** Everything on stdin as text. Undefined when nothing came in time, and nobody beside us is about to write. */
export async function stdinText(input: Input, patience?: Patience): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  const late = Promise.withResolvers<"late">();
  const timer = patience && setTimeout(() => late.resolve("late"), patience.firstByteMs);
  const read = async (): Promise<"read"> => {
    for await (const chunk of input) {
      clearTimeout(timer);
      const bytes = Buffer.from(chunk);
      chunks.push(bytes);
      size += bytes.length;
      if (size > MOST_BYTES) throw usageError(`expected at most ${MOST_BYTES / 1e6} MB on stdin, got more: ${ADVICE}`);
    }
    return "read";
  };
  const reading = read().catch((error: unknown) => {
    throw error instanceof CliError ? error : new CliError(`stdin cannot be read: ${messageOf(error)}`);
  });
  try {
    if ((await Promise.race([reading, late.promise])) === "late" && size === 0) {
      if (!inPipeline(input)) {
        reading.catch(() => {});
        patience?.tell(
          "nothing came on stdin, which is still open: going on without it; - as the last word waits for it",
        );
        return undefined;
      }
      patience?.tell("waiting for stdin");
    }
    await reading;
  } finally {
    clearTimeout(timer);
  }
  return decoded(Buffer.concat(chunks));
}
