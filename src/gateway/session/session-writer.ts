import { ParleyError } from "../../core/errors.ts";
import type { Draft } from "../../core/events/event.ts";
import type { MakeId } from "../../core/ids.ts";
import { weightOf } from "../../core/json/weight.ts";
import type { Context } from "../../core/ledger/frame.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { Command, Effect, LedgerState } from "../../core/ledger/state.ts";
import { step } from "../../core/ledger/step.ts";
import type { Entry, Log, LogRecord } from "../../log/contract.ts";
import type { Receipt } from "../receipt.ts";
import { AT_ONCE, Backpressure } from "./backpressure.ts";
import { Mailbox } from "./mailbox.ts";
import type { SessionStore } from "./session-store.ts";

/** In place of a start of the agent, for signals that Parley gives itself. */
export const PARLEY = -1;

export interface WriterOptions {
  id: string;
  ledger: LedgerState;
  store: SessionStore;
  log: Log;
  now: () => number;
  newId: MakeId;
  /** See the agents' contract. */
  quietMs(): number | undefined;
  /** Called after what was said is stored. */
  perform(effects: readonly Effect[], said: readonly Draft[]): void;
  /** Whether the exit of this start of the agent concerns the session as it is. */
  concerns(signal: Signal, generation: number, state: LedgerState): boolean;
  /** The rest of a signal that speaks of the time before the open turn. */
  heard(signal: Signal, generation: number, state: LedgerState): Signal;
  /** Whether a signal waits until the open turn is over. */
  waits(generation: number, state: LedgerState): boolean;
  /** Backpressure on the agent. */
  hold(): void;
  release(): void;
  /** Nothing is left to do for now. */
  onQuiet(): void;
  onStuck(error: ParleyError): void;
  /** The log will never take another word of this session: it was deleted, or there is a defect. */
  onDead(error: unknown): void;
}

interface SignalJob {
  signal: Signal;
  native: string | undefined;
  generation: number;
}

export interface Stored {
  records: LogRecord[];
  said: Draft[];
  /** The answer that was given to the same request before; nothing was done this time. */
  known?: Receipt;
}

/** A command that is known only when its turn comes: nothing else happens to the session meanwhile. */
export type Prepare = (state: LedgerState) => Promise<{ command: Command; undo(): Promise<void> }>;

interface CommandJob {
  command: Command | Prepare;
  known: (() => Promise<Receipt | undefined>) | undefined;
  must: boolean;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

type Job = SignalJob | CommandJob;

/** The only writer of a session: runs every signal and command through the ledger, in order, and stores what it says before anyone acts on it. */
export class SessionWriter {
  private state: LedgerState;
  private readonly options: WriterOptions;
  private readonly mailbox: Mailbox<Job>;
  /** Signals that wait for the open turn's end. */
  private later: SignalJob[] = [];
  private readonly pressure: Backpressure;
  private stuck: ParleyError | undefined;
  private readonly impatient = new Set<(error: ParleyError) => void>();
  private dead: { error: unknown } | undefined;

  constructor(options: WriterOptions) {
    this.options = options;
    this.state = options.ledger;
    this.pressure = new Backpressure(options);
    this.mailbox = new Mailbox<Job>({
      together: (job) => "signal" in job,
      weigh: (job) => ("signal" in job ? weightOf(job.signal) : 0),
      limit: AT_ONCE,
      run: (batch) => this.work(batch),
      onIdle: () => options.onQuiet(),
    });
  }

  get ledger(): LedgerState {
    return this.state;
  }

  /** Why the log takes no writes, while it takes none. */
  get refusal(): ParleyError | undefined {
    return this.stuck;
  }

  get busy(): boolean {
    return this.mailbox.busy;
  }

  whenIdle(): Promise<void> {
    return this.mailbox.whenIdle();
  }

  /** The outcome of something that needs the log, or the log's refusal as soon as it takes no writes. */
  unlessStuck<T>(work: Promise<T>): Promise<T> {
    if (this.stuck) return Promise.reject(this.stuck);
    return new Promise((resolve, reject) => {
      this.impatient.add(reject);
      work.then(resolve, reject).finally(() => this.impatient.delete(reject));
    });
  }

  take(signal: Signal, native: string | undefined, generation: number): void {
    if (this.dead) return;
    this.mailbox.push({ signal, native, generation });
    this.pressure.grown(this.mailbox);
  }

  /**
   * Runs a command. One that `must` happen is stored however long it takes, the others are refused while the log takes
   * no writes. `known` looks, in order with everything else, for the answer to a repeated request.
   */
  send(
    command: Command | Prepare,
    extra: { must?: boolean; known?: () => Promise<Receipt | undefined> } = {},
  ): Promise<Stored> {
    const { must = false, known } = extra;
    if (this.dead) return Promise.reject(this.dead.error);
    const refusal = must ? undefined : (this.stuck ?? this.options.log.fault());
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.mailbox.push({ command, known, must, resolve, reject });
    });
  }

  private async work(batch: Job[]): Promise<void> {
    const [first] = batch;
    if (first && "command" in first) await this.runCommand(first);
    else await this.runSignals(batch as SignalJob[]);
    if (this.later.some(({ generation }) => !this.options.waits(generation, this.state)))
      await this.runSignals(this.later.splice(0));
    this.pressure.shrunk(this.mailbox);
  }

  private context(generation?: number): Context {
    const { now, newId: id } = this.options;
    const quietMs = this.options.quietMs();
    const speaker = generation === PARLEY ? ({ speaker: "parley" } as const) : {};
    return { now: now(), steady: performance.now(), id, ...speaker, ...(quietMs === undefined ? {} : { quietMs }) };
  }

  private async runSignals(batch: readonly SignalJob[]): Promise<void> {
    try {
      const { state, entries, effects } = this.stepAll(batch);
      await this.store(entries, true);
      this.adopt(state, effects, entries);
    } catch (error) {
      this.dead = { error };
      this.options.onDead(error);
    }
  }

  private stepAll(batch: readonly SignalJob[]): { state: LedgerState; entries: Entry[]; effects: Effect[] } {
    let { state } = this;
    const entries: Entry[] = [];
    const effects: Effect[] = [];
    for (const job of batch) {
      const { signal, native, generation } = job;
      if (this.options.waits(generation, state) || (this.later.length > 0 && generation !== PARLEY)) {
        this.later.push(job);
        continue;
      }
      if (!this.options.concerns(signal, generation, state)) continue;
      const heard = this.options.heard(signal, generation, state);
      const stepped = step(state, { signal: heard }, this.context(generation));
      state = stepped.state;
      // A delta goes when its turn is folded, and the agent's line would go with it.
      const keeper = Math.max(
        0,
        stepped.events.findIndex((draft) => draft.type !== "item.delta"),
      );
      for (const [index, draft] of stepped.events.entries()) {
        entries.push(index === keeper && native !== undefined ? { draft, native } : { draft });
      }
      effects.push(...stepped.effects);
    }
    return { state, entries, effects };
  }

  private async runCommand(job: CommandJob): Promise<void> {
    let undo: (() => Promise<void>) | undefined;
    try {
      const known = await job.known?.();
      if (known) return job.resolve({ records: [], said: [], known });
      let { command } = job;
      if (typeof command === "function") {
        const prepare = command;
        ({ command, undo } = await this.pressure.whileAsked(() => prepare(this.state)));
      }
      const { state, events, effects, refusal } = step(this.state, { command }, this.context());
      if (refusal) throw new ParleyError(refusal.code, refusal.message);
      const entries = events.map((draft) => ({ draft }));
      const records = await this.store(entries, job.must);
      this.adopt(state, effects, entries);
      job.resolve({ records, said: events });
    } catch (error) {
      if (undo) await this.pressure.whileAsked(undo).catch(() => {});
      job.reject(error);
    }
  }

  private adopt(state: LedgerState, effects: readonly Effect[], entries: readonly Entry[]): void {
    this.state = state;
    this.options.perform(
      effects,
      entries.map((entry) => entry.draft),
    );
  }

  private async store(entries: readonly Entry[], must: boolean): Promise<LogRecord[]> {
    const records = await this.options.store.write(entries, { must, refused: this.refused });
    if (records.length > 0) this.stuck = undefined;
    return records;
  }

  private readonly refused = (error: ParleyError): void => {
    const first = !this.stuck;
    this.stuck = error;
    this.pressure.hold();
    // Nobody waits for room: a command that came a moment before the refusal gets it, too.
    const refused = this.mailbox.drop((job) => "command" in job && !job.must) as CommandJob[];
    for (const { reject } of refused) reject(error);
    for (const reject of this.impatient) reject(error);
    if (first) this.options.onStuck(error);
  };
}
