import { within } from "../../core/within.ts";
import { type Exit, type LineProcess, type ProcessHost, SpawnFailed, type SpawnSpec } from "../../host/contract.ts";
import { createLastLines, type LastLines } from "../../host/last-lines.ts";
import type { AgentSession, OpenOptions } from "../contract.ts";
import { Outbox } from "../outbox.ts";
import { type LineReader, type Read, readLines, type Said } from "./read-lines.ts";

/** How long a program may take to leave when its input ends. */
const CLOSE_WAIT_MS = 2_000;
/** One that is not ready yet has nothing to finish. */
const EARLY_CLOSE_WAIT_MS = 250;
const CLOSE_GRACE_MS = 1_500;
const LAST_WORDS_MS = 2_000;
/** Of a line that could not be read, so much is looked at. */
const STRAYED_CHARS = 2_048;

export interface ProgramOptions {
  host: ProcessHost;
  spec: SpawnSpec;
  emit: OpenOptions["emit"];
  /** How long the program may take until `isReady` is called. */
  readyMs: number;
  /** Reads one line of its output. Of a long one `left` bytes were left out. */
  read(text: string, left: number): Read;
  /** Asks the program to leave. Its input ends after that. */
  leave?(): Promise<void> | void;
  /** Called when it is gone, before `exited` is emitted; may add advice to the error of a program that was never ready. */
  onExit?(exit: Exit): string | undefined;
  /** Advice for the error of a program that was not ready in time. */
  onLate?(): string | undefined;
}

/** A session's program over a pipe: its start, the wait until it is ready, its signals in order, its end. */
export class Program implements Pick<AgentSession, "ready" | "close" | "kill" | "pause" | "resume"> {
  readonly #options: ProgramOptions;
  readonly #outbox: Outbox;
  readonly #reader: LineReader;
  readonly #process: LineProcess;
  readonly #ready = Promise.withResolvers<void>();
  readonly #exited: Promise<void>;
  /** Lines from before it was ready that no adapter could read: programs that are started wrongly print their usage. */
  #strayed: LastLines | undefined = createLastLines();
  #deadline: NodeJS.Timeout | undefined;
  #starting = true;
  #closing: Promise<void> | undefined;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.emit);
    const onNoise = (text: string): void => this.#strayed?.push(Buffer.from(`${text.slice(0, STRAYED_CHARS)}\n`));
    this.#reader = readLines(options.read, this.#outbox.emit, onNoise);
    this.#ready.promise.catch(() => {});
    this.#process = options.host.spawn(options.spec, this.#reader);
    this.#exited = this.#process.exited.then((exit) => this.#onExit(exit));
    this.#expect();
  }

  /** Resolves when the program has exited, and `exited` was emitted or waits for the end of a pause. */
  get exited(): Promise<void> {
    return this.#exited;
  }

  readonly ready = (): Promise<void> => this.#ready.promise;

  /** The program can take a prompt. */
  readonly isReady = (): void => {
    this.#settle();
    this.#strayed = undefined;
    this.#ready.resolve();
  };

  /** The program is of no use for this session. */
  fail(error: Error): void {
    this.#settle();
    this.#ready.reject(error);
  }

  /** The error of a program that could not be started, or was of no use. */
  failure(reason: string, exit?: Exit): SpawnFailed {
    return new SpawnFailed(reason, this.#options.spec, exit, this.#strayed?.lines());
  }

  write(line: string): Promise<void> {
    return this.#process.write(line);
  }

  /** Emits signals that no line caused. */
  say(said: readonly Said[]): void {
    this.#reader.say(said);
  }

  readonly close = (): Promise<void> => {
    this.#closing ??= this.#leave();
    return this.#closing;
  };

  readonly kill = async (graceMs: number): Promise<void> => {
    await this.#process.kill(graceMs);
    this.#outbox.release();
    await within(this.#exited, LAST_WORDS_MS);
  };

  readonly pause = (): void => {
    clearTimeout(this.#deadline);
    this.#outbox.pause();
    this.#process.pause();
  };

  readonly resume = (): void => {
    this.#outbox.resume();
    if (this.#outbox.paused) return;
    this.#expect();
    this.#process.resume();
  };

  async #leave(): Promise<void> {
    const waitMs = this.#starting ? EARLY_CLOSE_WAIT_MS : CLOSE_WAIT_MS;
    await this.#options.leave?.();
    this.#process.endInput();
    await within(this.#exited, waitMs);
    await this.kill(CLOSE_GRACE_MS);
  }

  /** Starts the deadline for `isReady`. A paused program cannot say that it is ready, so a pause stops the deadline. */
  #expect(): void {
    clearTimeout(this.#deadline);
    if (!this.#starting) return;
    const { readyMs } = this.#options;
    this.#deadline = setTimeout(() => {
      const advice = this.#options.onLate?.();
      this.fail(this.failure(`it was not ready within ${readyMs} ms${advice ? `: ${advice}` : ""}`));
      void this.kill(CLOSE_GRACE_MS);
    }, readyMs);
  }

  #settle(): void {
    this.#starting = false;
    clearTimeout(this.#deadline);
  }

  async #onExit(exit: Exit): Promise<void> {
    this.#settle();
    this.#reader.flush();
    // The error of a program that never ran comes first; one that exited early fails with its last words.
    await this.#process.started.catch(this.#ready.reject);
    const advice = this.#options.onExit?.(exit);
    this.#ready.reject(this.failure(`it exited before it was ready${advice ? `: ${advice}` : ""}`, exit));
    this.#outbox.end(exit);
  }
}
