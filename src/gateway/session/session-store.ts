import { type ErrorCode, isParleyError } from "../../core/errors.ts";
import { piecesOf, weightOf } from "../../core/json/weight.ts";
import type { Entry, EventRecord, Hold, Log, NewSession } from "../../log/contract.ts";
import { AT_ONCE } from "./inbox.ts";

export interface StoreOptions {
  log: Log;
  /** The right to write to the session, or the session that its first events create. */
  session: Hold | NewSession;
}

const weightOfEntry = ({ draft }: Entry): number => weightOf(draft.data);

/** A batch may be cut after an event of an item: if Parley dies there, recovery can close the turn. */
const isOfItem = ({ draft }: Entry): boolean => draft.type.startsWith("item.");

/** Refusals of a fold that are no fault: the next holder of the session folds after a later turn. */
const LEFT_UNFOLDED: ReadonlySet<ErrorCode> = new Set(["shutting_down", "fenced"]);

/** A session's part of the log. All writes to the log are made here. */
export class SessionStore {
  private readonly log: Log;
  private readonly created: NewSession | undefined;
  private hold: Hold | undefined;
  private lastSeq: number;

  constructor({ log, session }: StoreOptions) {
    this.log = log;
    if ("epoch" in session) this.hold = session;
    else this.created = session;
    this.lastSeq = this.hold?.head?.last ?? 0;
  }

  /** The number of the newest event that was stored here. */
  get last(): number {
    return this.lastSeq;
  }

  /** The parts in which events are stored. The first events of a session are one: half a fork is no session. */
  piecesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
    if (entries.length === 0) return [];
    return this.lastSeq === 0 || entries.length === 1 ? [entries] : piecesOf(entries, AT_ONCE, weightOfEntry, isOfItem);
  }

  /** Stores events in one transaction. After a refusal or an unknown outcome the same call has the same numbers. */
  async write(entries: readonly Entry[]): Promise<EventRecord[]> {
    this.hold ??= await this.open();
    const records = await this.hold.append(this.lastSeq, entries);
    this.lastSeq += entries.length;
    return records;
  }

  /** Stores one delta within the call. False: it cannot be done now, nothing was stored, and `write` takes it. */
  writePiece(piece: Entry): boolean {
    if (!this.hold?.appendPiece?.(this.lastSeq, piece)) return false;
    this.lastSeq += 1;
    return true;
  }

  private open(): Promise<Hold> {
    if (!this.created) throw new Error("expected a hold or a new session to store events in");
    return this.log.open(this.created);
  }

  /** Folds the session's ended turns, then drops all but so many of its events; 0 keeps all. */
  async tidy(keep: number): Promise<void> {
    const { last, hold } = this;
    try {
      await hold?.fold(last);
      if (keep > 0 && last > keep) await hold?.prune(last - keep);
    } catch (error) {
      if (!isParleyError(error) || !LEFT_UNFOLDED.has(error.code)) throw error;
    }
  }

  /** Forgets all that is stored but for the last event, which says that the session was deleted. */
  async remove(): Promise<void> {
    await this.hold?.remove();
  }

  /** Gives back the right to write, after writes that are under way. */
  async release(): Promise<void> {
    await this.hold?.release();
  }
}
