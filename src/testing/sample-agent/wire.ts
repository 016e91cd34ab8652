import { once } from "node:events";
import type { ChildRef } from "../../agents/contract.ts";
import type { Command } from "../../agents/line-protocol/commands.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { createLineSplitter } from "../../host/lines/line-splitter.ts";

/** The two directions of the line protocol, seen from the agent. */
export interface Wire {
  say(signal: Signal, child?: ChildRef): void;
  /** Writes a line that is no signal. */
  line(value: unknown): void;
  /** Writes bytes as they are. */
  raw(bytes: string | Buffer): void;
  /** Resolves when the reader has taken enough to say more. */
  room(): Promise<void>;
  /** Resolves when all that was said is written. */
  flush(): Promise<void>;
  /** Leaves after that. */
  leave(code: number): void;
}

export function openWire(handle: (command: Command) => void): Wire {
  const { stdin, stdout } = process;
  const flush = async (): Promise<void> => {
    for (const stream of [stdout, process.stderr]) {
      await new Promise((resolve) => stream.write("", resolve));
    }
  };
  const leave = (code: number): void => {
    void flush().then(() => process.exit(code));
  };
  const wire: Wire = {
    say: (signal, child) => wire.line(child ? { child, signal } : signal),
    line: (value) => wire.raw(`${JSON.stringify(value)}\n`),
    raw: (bytes) => {
      stdout.write(bytes);
    },
    room: async () => {
      if (stdout.writableNeedDrain) await once(stdout, "drain");
    },
    flush,
    leave,
  };
  const splitter = createLineSplitter(
    {
      line: (text) => handle(JSON.parse(text)),
      oversize: (bytes) => process.stderr.write(`a command of ${bytes} bytes was too long\n`),
    },
    { shorten: Number.POSITIVE_INFINITY },
  );
  stdin.on("data", (chunk: Buffer) => splitter.push(chunk));
  // Without Parley there is nobody to work for.
  stdin.on("end", () => leave(0));
  stdout.on("error", () => process.exit(1));
  return wire;
}
