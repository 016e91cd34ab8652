import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Size } from "../output/diff-text.ts";
import type { Stream } from "../output/terminal.ts";

/** A person at a terminal. */
export interface Person {
  /** Shows a prompt and returns the line that was typed; undefined at the end of input or when the question is off. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>;
  tell(text: string): void;
  /** The size of the terminal, where it is known. */
  size?(): Size | undefined;
}

/** Lines are left to the terminal to edit, so that Ctrl-C stays a signal and is not eaten here. */
export function personAt(input: NodeJS.ReadableStream, output: Stream): Person {
  return {
    tell: (text) => void output.write(text),
    size: () => (output.rows && output.columns ? { rows: output.rows, columns: output.columns } : undefined),
    async ask(prompt, signal) {
      if (signal.aborted) return undefined;
      output.write(prompt);
      const lines = createInterface({ input, terminal: false });
      const settled = new AbortController();
      const until = AbortSignal.any([signal, settled.signal]);
      try {
        const line = once(lines, "line", { signal: until }).then(([text]) => String(text));
        const end = once(lines, "close", { signal: until }).then(() => undefined);
        return await Promise.race([line, end]);
      } catch (thrown) {
        if (signal.aborted) return undefined;
        throw thrown;
      } finally {
        settled.abort();
        lines.close();
      }
    },
  };
}
