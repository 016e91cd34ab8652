import { readSync } from "node:fs";
import type { ReadStream } from "node:tty";
import type { IPty, spawn } from "@lydell/node-pty";
import { guardMaster } from "../master-guard.ts";
import type { TerminalSize } from "./contract.ts";

export type PtySpawn = typeof spawn;

/** Loads the native part, which takes a while and is not there on every system. */
export async function loadPtySpawn(): Promise<PtySpawn> {
  return (await import("@lydell/node-pty")).spawn;
}

export interface PtySpec {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  size?: TerminalSize | undefined;
}

export interface PtyEvents {
  /** Whole characters only. */
  output(text: string): void;
  /** Once, after the last output. */
  exit(code: number): void;
}

export interface PtyProcess {
  readonly pid: number;
  resize(cols: number, rows: number): void;
  write(input: string | Buffer): Promise<void>;
}

/** Fields that node-pty hides: the stream it reads and writes, and that stream's descriptor. */
interface Hidden {
  _socket: ReadStream;
  fd: number;
}

const LOOK_MS = 200;
const MAX_LOOKS = 50;

/**
 * node-pty closes its stream 200 ms after the program's exit, with whatever was not read yet: in a busy moment that is
 * the end of the output. Here it is closed when a look finds that nothing came since the one before.
 */
function closePatiently(socket: ReadStream): void {
  const destroy = socket.destroy.bind(socket);
  let read = 0;
  let looking = false;
  socket.on("data", (text: string) => {
    read += text.length;
  });
  const look = (looks: number): void => {
    const before = read;
    // After a busy spell timers run first: the system is asked once more for what can be read.
    setTimeout(
      () => setImmediate(() => (read === before || looks >= MAX_LOOKS ? destroy() : look(looks + 1))),
      LOOK_MS,
    );
  };
  socket.destroy = (error) => {
    if (error || socket.readableEnded) return destroy(error);
    if (!looking) look(1);
    looking = true;
    return socket;
  };
}

/**
 * Node 22 takes the hang-up of a terminal for the end of its output, though the system still holds some. It is read here,
 * before the descriptor is closed. Node 24 reads to the end itself and leaves nothing.
 */
function restOf(fd: number): string {
  const chunks: Buffer[] = [];
  try {
    for (;;) {
      const chunk = Buffer.alloc(64 * 1024);
      const length = readSync(fd, chunk);
      if (length === 0) break;
      chunks.push(chunk.subarray(0, length));
    }
  } catch {
    // The system says by an error that nothing is left.
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** As a shell says it. */
function codeOf({ exitCode, signal }: { exitCode: number; signal?: number }): number {
  return signal ? 128 + signal : exitCode;
}

/** Starts a program at a terminal of its own, as leader of a session of its own. */
export function startPty(spawnPty: PtySpawn, spec: PtySpec, events: PtyEvents): PtyProcess {
  const { program, args, cwd, env, size } = spec;
  const pty = spawnPty(program, [...args], { name: env.TERM, cwd, env: { ...env }, ...size });
  const { _socket: socket, fd } = pty as IPty & Hidden;
  const release = guardMaster(fd);
  closePatiently(socket);
  // Without a listener of ours node-pty throws what it cannot name, with nobody there to catch it.
  socket.on("error", () => {});
  pty.onData((text) => events.output(text));
  socket.once("end", () => {
    const rest = restOf(fd);
    if (rest !== "") events.output(rest);
  });
  pty.onExit((exit) => {
    release();
    events.exit(codeOf(exit));
  });
  return {
    pid: pty.pid,
    resize(cols, rows) {
      try {
        pty.resize(cols, rows);
      } catch {
        // It exited a moment ago, and its exit is on its way here.
      }
    },
    write: (input) =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve();
        else socket.write(input, () => resolve());
      }),
  };
}
