import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { Draft } from "../../core/events/event.ts";
import type { MakeId } from "../../core/ids.ts";
import type { Context } from "../../core/ledger/frame.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { Effect, LedgerState } from "../../core/ledger/state.ts";
import { step } from "../../core/ledger/step.ts";
import type { Entry, EventRecord } from "../../log/contract.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import type { Act } from "./act.ts";
import { type CommandJob, type Inbox, PARLEY, type SignalJob, type ToldSignal } from "./inbox.ts";
import type { SessionStore } from "./session-store.ts";
import { storePatiently } from "./store-patiently.ts";

export interface ActorOptions {
  inbox: Inbox;
  ledger: { state: LedgerState };
  agent: ServingAgent;
  store: SessionStore;
  act: Act;
  now: () => number;
  newId: MakeId;
}

/** The loop of a session: takes from the inbox, steps the ledger, stores the events, and only then acts. */
export class Actor {
  private readonly options: ActorOptions;
  /** A piece is being stored. */
  private taking = false;

  constructor(options: ActorOptions) {
    this.options = options;
    options.inbox.takePiece = (job) => this.takePiece(job);
  }

  /** Runs as long as the session is in memory. Rejects when this object can store nothing more. */
  async run(): Promise<never> {
    const { inbox, agent, act } = this.options;
    try {
      for (;;) {
        const resting = inbox.rest();
        if (!inbox.busy) act.quiet();
        if (resting) await resting;
        const batch = inbox.take();
        inbox.assertHeld();
        const [first] = batch;
        if (first && "command" in first) await this.runCommand(first);
        else await this.runSignals(batch as SignalJob[]);
        this.letAgentSpeak();
      }
    } catch (error) {
      inbox.close(error);
      await act.end(error);
      // A sub-agent's session is served by an agent that goes on without it.
      agent.link?.release(inbox);
      throw error;
    }
  }

  private letAgentSpeak(): void {
    const { inbox, agent, ledger } = this.options;
    if (inbox.defers && !agent.deliveries.waits(ledger.state)) inbox.resume();
    if (inbox.light) agent.link?.release(inbox);
  }

  private context(generation?: number): Context {
    const { now, newId: id, agent } = this.options;
    const { quietMs } = agent;
    const context: Context = { now: now(), steady: performance.now(), id };
    if (generation === PARLEY) context.speaker = "parley";
    if (quietMs !== undefined) context.quietMs = quietMs;
    return context;
  }

  private async runSignals(batch: readonly SignalJob[]): Promise<void> {
    if (batch.length === 0) return;
    const { state, entries, effects } = this.stepAll(batch);
    await this.store(entries, { must: true });
    this.adopt(state, effects, entries);
  }

  /**
   * Takes a signal that is one delta and nothing else, within the call, where the log can store it now: clients in this
   * process wait for each piece of an answer. Anything else goes through the loop, and so does what comes meanwhile.
   */
  private takePiece({ signal, native, generation }: ToldSignal): boolean {
    const { agent, ledger, store, act } = this.options;
    if (this.taking || agent.deliveries.waits(ledger.state)) return false;
    const stepped = this.stepPiece(signal, generation);
    if (!stepped) return false;
    const { state, draft } = stepped;
    this.taking = true;
    try {
      if (!store.writePiece(native === undefined ? { draft } : { draft, native })) return false;
    } finally {
      this.taking = false;
    }
    ledger.state = state;
    act.storedPiece();
    return true;
  }

  /** A step that says one delta and nothing else; undefined for any other. A defect is told by the loop, which meets it again. */
  private stepPiece(signal: Signal, generation: number): { state: LedgerState; draft: Draft } | undefined {
    try {
      const { state, events, effects } = step(this.options.ledger.state, { signal }, this.context(generation));
      const [draft] = events;
      return draft?.type === "item.delta" && events.length === 1 && effects.length === 0 ? { state, draft } : undefined;
    } catch {
      return undefined;
    }
  }

  private stepAll(batch: readonly SignalJob[]): { state: LedgerState; entries: Entry[]; effects: Effect[] } {
    const { inbox, agent, ledger } = this.options;
    const { deliveries } = agent;
    let { state } = ledger;
    const entries: Entry[] = [];
    const effects: Effect[] = [];
    for (const job of batch) {
      const { signal, native, generation } = job;
      if (agent.own?.isLeft(generation)) continue;
      if (generation !== PARLEY && (inbox.defers || deliveries.waits(state))) {
        inbox.defer(job);
        continue;
      }
      if (!deliveries.concerns(signal, generation, state)) continue;
      const heard = deliveries.heard(signal, generation, state);
      const stepped = step(state, { signal: heard }, this.context(generation));
      state = stepped.state;
      // The agent's line is stored with an event that stays: a fold drops deltas.
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
    const { ledger } = this.options;
    let undo: (() => Promise<void>) | undefined;
    try {
      const known = await job.known?.();
      if (known) return job.resolve({ records: [], said: [], known });
      let { command } = job;
      if (typeof command === "function") {
        const prepare = command;
        ({ command, undo } = await this.asking(() => prepare(ledger.state)));
      }
      const { state, events, effects, refusal } = step(ledger.state, { command }, this.context());
      if (refusal) throw new ParleyError(refusal.code, refusal.message);
      const entries = events.map((draft) => ({ draft }));
      const records = await this.store(entries, job);
      this.adopt(state, effects, entries);
      job.resolve({ records, said: events });
    } catch (error) {
      if (undo) await this.asking(undo).catch(() => {});
      job.reject(error);
      if (isParleyError(error) && error.code === "fenced") throw error;
    }
  }

  /** Does work that may wait for an answer of the agent. The agent is not held meanwhile, or it could not answer. */
  private asking<T>(work: () => Promise<T>): Promise<T> {
    const { inbox, agent } = this.options;
    agent.link?.release(inbox);
    return inbox.whileAsked(work);
  }

  private adopt(state: LedgerState, effects: readonly Effect[], entries: readonly Entry[]): void {
    const { ledger, act } = this.options;
    ledger.state = state;
    act.perform(
      effects,
      entries.map((entry) => entry.draft),
    );
  }

  /** Stores events, in pieces. After the first piece the others must follow, however long that takes. */
  private async store(
    entries: readonly Entry[],
    job: Pick<CommandJob, "must"> & Partial<CommandJob>,
  ): Promise<EventRecord[]> {
    const { store, inbox } = this.options;
    let records: EventRecord[] = [];
    try {
      for (const piece of store.piecesOf(entries)) {
        const must = job.must || records.length > 0;
        const stored = await storePatiently(
          () => {
            inbox.assertHeld();
            return store.write(piece);
          },
          must,
          (error, doubt) => this.refused(error, doubt, job),
        );
        records = records.length > 0 ? [...records, ...stored] : stored;
      }
      return records;
    } finally {
      inbox.accept();
    }
  }

  private refused(error: ParleyError, doubt: ParleyError | undefined, job: Partial<CommandJob>): void {
    const { inbox, agent, act } = this.options;
    const first = !inbox.refusal;
    agent.link?.hold(inbox);
    inbox.refuse(error);
    // The command is refused even if its append may have been stored: its client repeats it by its id.
    if (!job.must) job.reject?.(doubt ?? error);
    if (first) act.refused(error);
  }
}
