import type { ParleyError } from "../../core/errors.ts";
import type { Draft } from "../../core/events/event.ts";
import { weightOf } from "../../core/json/weight.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { Command, LedgerState } from "../../core/ledger/state.ts";
import type { Receipt } from "../../core/receipt.ts";
import type { EventRecord, Log } from "../../log/contract.ts";

/** The generation of signals that come from Parley itself, not from a start of the agent. */
export const PARLEY = -1;

/** Characters that are stepped and stored before others get their turn. */
export const AT_ONCE = 1024 * 1024;

/** How many signals and characters may wait before the agent is held, and how few before it goes on. */
const HOLD_AT = 20_000;
const HOLD_WEIGHT = 8 * AT_ONCE;
const RELEASE_AT = 2_000;

/** While the agent is asked for something, so many times as much may wait: its answer comes behind its other signals. */
const WHILE_ASKED = 8;

/** Signals of which most become one delta and nothing else. */
const PIECES: ReadonlySet<Signal["type"]> = new Set(["text", "tool.output"]);

/** A signal with the agent's line and the start of the agent that it came from. */
export interface ToldSignal {
  signal: Signal;
  native: string | undefined;
  generation: number;
}

export interface SignalJob extends ToldSignal {
  weight: number;
}

export interface Stored {
  records: EventRecord[];
  said: Draft[];
  /** The receipt of the same prompt, which came before; nothing was stored this time. */
  known?: Receipt;
}

/** Makes the command when the actor takes it out. The session does nothing else meanwhile. */
export type Prepare = (state: LedgerState) => Promise<{ command: Command; undo(): Promise<void> }>;

export interface Sending {
  /** It is stored however long that takes; other commands are refused while the log takes no writes. */
  must?: boolean;
  /** Looks for the receipt of a repeated prompt, when the actor takes the command out. */
  known?: () => Promise<Receipt | undefined>;
}

export interface CommandJob extends Sending {
  command: Command | Prepare;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

export type Job = SignalJob | CommandJob;

const isCommand = (job: Job): job is CommandJob => "command" in job;

/**
 * The one way into a session: commands of clients, and signals of the agent, of timers and of Parley itself, in the order
 * in which they came. The actor takes them out. Parts of a session that have something to say to it hold its inbox.
 */
export class Inbox {
  private readonly log: Pick<Log, "fault">;
  private jobs: Job[] = [];
  /** Signals that wait for the end of a shell turn. */
  private deferred: SignalJob[] = [];
  /** The weight of all signals that wait. */
  private weight = 0;
  /** The actor has a batch in hand. */
  private working = false;
  private wakeActor: (() => void) | undefined;
  private idle: (() => void)[] = [];
  private asked = false;
  private refused: ParleyError | undefined;
  private closed: { error: unknown } | undefined;
  private fencedBy: ParleyError | undefined;
  /** For the actor: takes a piece of an answer within the call, while nothing else is to be done. False: it must wait. */
  takePiece: ((told: ToldSignal) => boolean) | undefined;
  private readonly impatient = new Set<(error: unknown) => void>();

  constructor(log: Pick<Log, "fault">) {
    this.log = log;
  }

  /** The log's refusal, while it takes no writes. */
  get refusal(): ParleyError | undefined {
    return this.refused;
  }

  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  get busy(): boolean {
    return this.working || this.jobs.length > 0;
  }

  /** The actor waits, and nothing waits for it. */
  private get rests(): boolean {
    return this.wakeActor !== undefined && !this.defers && !this.fencedBy;
  }

  /** So much waits that the agent should be held. */
  get crowded(): boolean {
    const times = this.asked ? WHILE_ASKED : 1;
    return this.jobs.length + this.deferred.length > HOLD_AT * times || this.weight > HOLD_WEIGHT * times;
  }

  /** So little waits that the agent may go on. */
  get light(): boolean {
    return this.jobs.length + this.deferred.length < RELEASE_AT && this.weight < AT_ONCE;
  }

  /** Puts in a signal: of a start of the agent, or of Parley itself. `isNext`: nothing waits elsewhere that was said before it. */
  signal(signal: Signal, native?: string, generation: number = PARLEY, isNext = true): void {
    if (this.closed) return;
    const told = { signal, native, generation };
    if (isNext && this.rests && PIECES.has(signal.type) && this.takePiece?.(told)) return;
    const weight = weightOf(signal);
    this.weight += weight;
    this.put({ ...told, weight });
  }

  /** Puts in a command, and resolves when it is stored. */
  send(command: Command | Prepare, sending: Sending = {}): Promise<Stored> {
    if (this.closed) return Promise.reject(this.closed.error);
    const refusal = sending.must ? undefined : (this.refused ?? this.log.fault());
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => this.put({ command, ...sending, resolve, reject }));
  }

  private put(job: Job): void {
    this.jobs.push(job);
    this.wake();
  }

  /** Has the actor look at the session, also when nothing was put in. */
  wake(): void {
    if (!this.wakeActor) return;
    this.working = true;
    this.wakeActor();
    this.wakeActor = undefined;
  }

  /** Resolves when nothing is left to do. */
  whenIdle(): Promise<void> {
    return this.busy ? new Promise((resolve) => this.idle.push(resolve)) : Promise.resolve();
  }

  /** The outcome of work that needs the log, or the log's refusal as soon as it takes no writes. */
  unlessRefused<T>(work: Promise<T>): Promise<T> {
    if (this.refused) return Promise.reject(this.refused);
    return new Promise((resolve, reject) => {
      this.impatient.add(reject);
      work.then(resolve, reject).finally(() => this.impatient.delete(reject));
    });
  }

  /** For the actor: the next batch, which is one command or the signals before the next command. May be empty. */
  take(): Job[] {
    const { jobs } = this;
    let count = 0;
    let weight = 0;
    for (const job of jobs) {
      if (isCommand(job)) {
        if (count === 0) count = 1;
        break;
      }
      if (weight >= AT_ONCE) break;
      weight += job.weight;
      count += 1;
    }
    this.weight -= weight;
    return jobs.splice(0, count);
  }

  /**
   * For the actor: resolves when there is something to do; undefined if there is now. All lines of one chunk arrive in one
   * tick: the actor goes on after it, and has them as one batch.
   */
  rest(): Promise<void> | undefined {
    if (this.jobs.length > 0) return undefined;
    this.working = false;
    for (const resolve of this.idle.splice(0)) resolve();
    return new Promise((resolve) => {
      this.wakeActor = resolve;
    });
  }

  /** Signals wait for the end of a shell turn. */
  get defers(): boolean {
    return this.deferred.length > 0;
  }

  /** For the actor: a signal waits for the end of a shell turn. */
  defer(job: SignalJob): void {
    this.deferred.push(job);
    this.weight += job.weight;
  }

  /** For the actor: the shell turn is over, and the signals that waited for it come next. */
  resume(): void {
    this.jobs = [...this.deferred, ...this.jobs];
    this.deferred = [];
  }

  /** For the actor: work that may wait for an answer of the agent. */
  async whileAsked<T>(work: () => Promise<T>): Promise<T> {
    this.asked = true;
    try {
      return await work();
    } finally {
      this.asked = false;
    }
  }

  /** For the actor: the log takes no writes. Commands that can be refused are, those that wait already included. */
  refuse(error: ParleyError): void {
    this.refused = error;
    this.rejectAll(error, (job) => isCommand(job) && !job.must);
  }

  /** For the actor: the log takes writes again. */
  accept(): void {
    this.refused = undefined;
  }

  /** The right to the session is lost: the actor ends with this error. */
  fence(error: ParleyError): void {
    this.fencedBy ??= error;
    this.wake();
  }

  /** For the actor: throws once the right to the session is lost. */
  assertHeld(): void {
    if (this.fencedBy) throw this.fencedBy;
  }

  /** For the actor: this object can store nothing more. */
  close(error: unknown): void {
    this.closed = { error };
    this.rejectAll(error, () => true);
    this.deferred = [];
    this.working = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private rejectAll(error: unknown, fits: (job: Job) => boolean): void {
    const dropped = this.jobs.filter(fits);
    this.jobs = this.jobs.filter((job) => !fits(job));
    for (const job of dropped) if (isCommand(job)) job.reject(error);
    for (const reject of this.impatient) reject(error);
  }
}
