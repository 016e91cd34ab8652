import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { Keeping } from "../process-keeper.ts";
import type { Terminal, TerminalChange, TerminalInfo } from "./contract.ts";
import { KeptOutput } from "./kept-output.ts";
import { type PtyProcess, type PtySpawn, type PtySpec, startPty } from "./pty-process.ts";

/** After its processes are gone: how long their last words may take. */
const LAST_WORDS_MS = 1_000;

export interface Opening {
  id: string;
  directory: string;
  title: string;
  /** As the client named it; `spec` has the path. */
  command: string;
  spec: PtySpec;
  keeping: Keeping;
  spawn: PtySpawn;
  keptChars: number;
}

/** A terminal and what runs in it, from its start until nothing of it is left. */
export class OpenTerminal implements Terminal {
  readonly id: string;
  readonly directory: string;
  readonly info: TerminalInfo;
  readonly output: KeptOutput;
  /** Resolves when all of the output is there. */
  readonly exited: Promise<void>;
  readonly #watchers = new Set<() => void>();
  readonly #keeping: Keeping;
  readonly #process: PtyProcess;
  readonly #exit = Promise.withResolvers<void>();

  constructor({ id, directory, title, command, spec, keeping, spawn, keptChars }: Opening) {
    this.id = id;
    this.directory = directory;
    this.output = new KeptOutput(keptChars);
    this.exited = this.#exit.promise;
    this.#keeping = keeping;
    const { program, args, cwd, env, size } = spec;
    const start = { argv: [program, ...args] as const, directory: cwd, searchPath: env.PATH };
    const [first, ...rest] = keeping.watcher.launch(start);
    const output = (text: string): void => {
      this.output.append(text);
      this.#tell();
    };
    const exit = (code: number): void => this.#end(code);
    this.#process = startPty(spawn, { program: first, args: rest, cwd, env, size }, { output, exit });
    const { pid } = this.#process;
    keeping.watcher.onStart(pid);
    this.info = { id, title, command, args: spec.args, cwd: spec.cwd, status: "running", pid };
  }

  get ended(): boolean {
    return this.info.status === "exited";
  }

  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  async write(input: string | Buffer): Promise<void> {
    if (!this.ended) await this.#process.write(input);
  }

  change({ title, size }: TerminalChange): void {
    if (title) this.info.title = title;
    if (size && !this.ended) this.#process.resize(size.cols, size.rows);
  }

  /** Hangs up, then kills, all that runs in it. Resolves when that is gone and its output is all there. */
  async end(graceMs: number): Promise<void> {
    await this.#keeping.watcher.end(graceMs);
    await Promise.race([this.exited, delay(LAST_WORDS_MS, undefined, { ref: false })]);
    // Readers must not wait for what even KILL did not end.
    this.#end(128 + 9);
  }

  #end(code: number): void {
    if (this.ended) return;
    this.info.status = "exited";
    this.info.exitCode = code;
    this.#exit.resolve();
    this.#tell();
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

/** The message of a failed start, which node-pty throws as plain errors. */
export function startFault(thrown: unknown): string {
  return `the system gave no terminal (${messageOf(thrown)}): close some that are open, or try again`;
}
