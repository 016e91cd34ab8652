import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventOf, ParleyEvent } from "../../../core/events/event.ts";
import type { Log, PlacedRecord } from "../../../log/contract.ts";
import type { TurnsToKeep } from "../projection/kept-turns.ts";
import type { Projected } from "../projection/outbox.ts";
import { SessionView } from "../projection/session-view.ts";
import { NextNumbers } from "../v2/next/durable.ts";
import { type Batch, batchOf, heavyBatchOf, type Place, type Untold, untoldOf } from "./batch.ts";
import { Commit } from "./commit.ts";
import { lastView, type Primed, type Priming, primedView } from "./prime.ts";

export interface ProjectorOptions {
  log: Log;
  projectOf(directory: string): string;
  /** Learns the projects of directories, where other nodes may have them. */
  know?: ((directories: Iterable<string>) => Promise<void>) | undefined;
  /** How many sessions that rest are kept, and how many that were deleted are remembered. */
  resting: number;
  /** The turns that are kept of each beside its newest one. */
  keep: TurnsToKeep;
  /** Whether somebody listens in the older dialect. */
  withOlder(): boolean;
  /** Whether somebody listens to the newer half of the API. */
  withNewer?(): boolean;
  /** Tells those who have heard all that came before. A heavy one may be told in turns: the next comes when the promise resolves. */
  emit(commit: Commit, heavy: boolean): Promise<void> | undefined;
  /** Resolves when those who are told can take another heavy event. */
  ready?(): Promise<void>;
}

interface Held extends Primed {
  /** The number that it has seen last. */
  seq: number;
  /** Makes the events of the newer half of the API. */
  newer: NextNumbers;
  place?: Place;
}

/** A session that is gone, as clients were told. */
export interface Gone {
  place: Place;
  event: Projected["event"];
}

/** A record of more characters has turns of the event loop for itself: others are served between its steps. */
const HEAVY = 256 * 1024;

function placeOf(directory: string, { projectOf }: ProjectorOptions): Place {
  return { directory, project: projectOf(directory) };
}

/** Feeds the newer half what a view takes in while it is primed. */
function watching(newer: NextNumbers): NonNullable<Priming["watch"]> {
  return (event, said, view) => newer.take(event, said, view);
}

/**
 * Turns records of the log into events for OpenCode's clients. Records are applied and told in one go, so that the
 * views between two calls hold exactly the events that have been told; but for a heavy one, while it is `untold`.
 */
export class Projector {
  private readonly options: ProjectorOptions;
  /** The session that was heard of last is last. */
  private readonly held = new Map<string, Held>();
  private readonly goneLately: Gone[] = [];

  /** The position of the log up to which everything was told. */
  position: number;

  /** Its records are told by others from now on, or by nobody. */
  closed = false;

  /** Set while a view holds an event that has not been told: resolves when it has. */
  untold: Promise<void> | undefined;

  constructor(options: ProjectorOptions, position: number) {
    this.options = options;
    this.position = position;
  }

  views(): SessionView[] {
    return [...this.held.values()].map(({ view }) => view);
  }

  gone(): readonly Gone[] {
    return this.goneLately;
  }

  /** Brings a session in as it was after one of its events, without a word about it. Later events are told when they are taken. */
  async load(session: string, seq: number): Promise<void> {
    const newer = new NextNumbers(session);
    const primed = await primedView(session, seq + 1, { ...this.options, watch: watching(newer) });
    await this.options.know?.(primed ? [primed.view.directory] : []);
    if (primed) this.hold(session, { ...primed, newer, seq });
  }

  /** As `take`, after the projects of new sessions are known. */
  takeKnown(records: readonly PlacedRecord[]): Promise<void> | undefined {
    const { know } = this.options;
    const begun = know ? records.filter(({ type }) => type === "session.started") : [];
    if (!know || begun.length === 0) return this.take(records);
    const directories = begun.map(({ json }) => (JSON.parse(json) as EventOf<"session.started">).data.directory);
    return know(directories).then(() => this.take(records));
  }

  /** A promise where a session must be read from the log first, or a record is heavy: nothing more until it resolves. */
  take(records: readonly PlacedRecord[]): Promise<void> | undefined {
    const batches: Batch[] = [];
    if (this.closed) return undefined;
    for (const [index, record] of records.entries()) {
      if (record.json.length >= HEAVY) {
        this.tell(batches);
        return this.takeHeavy(record, records.slice(index));
      }
      const held = this.heldFor(record);
      if (!held) {
        this.tell(batches);
        return this.readThenTake(records.slice(index));
      }
      const untold = this.apply(held, record);
      if (untold) batches.push(batchOf(untold));
      this.position = record.position;
    }
    this.tell(batches);
    return undefined;
  }

  /** Reads, applies and tells the record in turns of their own, and goes on in a further one. */
  private async takeHeavy(record: PlacedRecord, records: readonly PlacedRecord[]): Promise<void> {
    await this.ready();
    const event = JSON.parse(record.json) as ParleyEvent;
    await nextTurn();
    const held = this.heldFor(record);
    if (!held) return this.readThenTake(records);
    const untold = this.apply(held, record, event);
    const written = Promise.withResolvers<void>();
    this.untold = written.promise;
    let batch: Batch | undefined;
    try {
      await nextTurn();
      batch = untold && (await heavyBatchOf(untold));
    } finally {
      this.untold = undefined;
      written.resolve();
    }
    this.position = record.position;
    if (batch) await this.tell([batch], true);
    await this.ready();
    return this.take(records.slice(1));
  }

  private async ready(): Promise<void> {
    await nextTurn();
    await this.options.ready?.();
  }

  /** Undefined where the session must be read first: also before a cut of turns that its view has not seen. */
  private heldFor(record: PlacedRecord): Held | undefined {
    const held = this.held.get(record.session) ?? (record.seq === 1 ? this.begin(record) : undefined);
    if (!held || record.type !== "history.cut") return held;
    const { data } = JSON.parse(record.json) as EventOf<"history.cut">;
    return data.from < held.from && record.seq > held.seq ? undefined : held;
  }

  private async readThenTake(records: readonly PlacedRecord[]): Promise<void> {
    const [first, ...rest] = records;
    if (!first) return;
    const { session, seq } = first;
    const newer = new NextNumbers(session);
    const priming = { ...this.options, watch: watching(newer) };
    const primed = (await primedView(session, seq, priming)) ?? lastView(first, this.options);
    await this.options.know?.(primed ? [primed.view.directory] : []);
    // Of a session that the log has forgotten since nothing is said any more but that it is gone.
    if (primed) this.hold(session, { ...primed, newer, seq: seq - 1 });
    await this.take(primed ? records : rest);
  }

  private begin(record: PlacedRecord): Held {
    const { projectOf, keep } = this.options;
    const { session } = record;
    const view = new SessionView(undefined, { projectOf, keep });
    const held = { view, from: 1, seq: 0, newer: new NextNumbers(session) };
    this.hold(session, held);
    return held;
  }

  private apply(held: Held, record: PlacedRecord, read?: ParleyEvent): Untold | undefined {
    if (record.seq <= held.seq) return undefined;
    held.seq = record.seq;
    const event = read ?? (JSON.parse(record.json) as ParleyEvent);
    const projected = held.view.apply(event);
    const newer = held.newer.take(event, projected, held.view);
    if (record.type === "turn.started") this.hold(record.session, held);
    if (projected.length + newer.length === 0) return undefined;
    held.place ??= placeOf(held.view.directory, this.options);
    if (held.view.deleted) this.letGo(record.session, held.place, projected);
    const untold = untoldOf(record, held.place, projected, this.options.withOlder());
    if (!this.options.withNewer?.()) return untold;
    const { directory } = held.place;
    return { ...untold, newer: newer.map((one) => held.newer.told(one, directory)) };
  }

  private letGo(session: string, place: Place, projected: readonly Projected[]): void {
    this.held.delete(session);
    for (const { event } of projected) if (event.type === "session.deleted") this.goneLately.push({ place, event });
    this.goneLately.splice(0, this.goneLately.length - this.options.resting);
  }

  private tell(batches: readonly Batch[], heavy = false): Promise<void> | undefined {
    if (batches.length === 0 || this.closed) return undefined;
    return this.options.emit(new Commit(batches), heavy);
  }

  /** Sessions at work are always kept, of the others those that were heard of last. */
  private hold(session: string, held: Held): void {
    this.held.delete(session);
    this.held.set(session, held);
    if (this.held.size <= this.options.resting) return;
    for (const [id, { view }] of this.held) {
      if (this.held.size <= this.options.resting) return;
      if (id !== session && view.resting) this.held.delete(id);
    }
  }
}
