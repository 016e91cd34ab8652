import { type ErrorCode, isParleyError, type ParleyError } from "../../core/errors.ts";
import { piecesOf, weightOf } from "../../core/json/weight.ts";
import type { Entry, EventRecord, Hold, Log, NewSession } from "../../log/contract.ts";
import { AT_ONCE } from "./backpressure.ts";
import { storePatiently } from "./store-patiently.ts";

export interface StoreOptions {
  log: Log;
  /** The right to write to the session, or the session that its first events create. */
  session: Hold | NewSession;
}

/** How events are stored. */
export interface Storing {
  /** However long it takes; `refused` hears of each refusal meanwhile. */
  must: boolean;
  refused(error: ParleyError): void;
}

const weightOfEntry = ({ draft }: Entry): number => weightOf(draft.data);

/** After these a process may end at any time: the turn they belong to is closed by the next one. */
const isOfItem = ({ draft }: Entry): boolean => draft.type.startsWith("item.");

/** Reasons to leave events unfolded: they are folded after a later turn, by the next holder of the session. */
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

  /** Stores events in order. The first events of a session are one transaction: half a fork is no session. */
  write(entries: readonly Entry[], storing: Storing): Promise<EventRecord[]> {
    const pieces = this.lastSeq === 0 ? [] : piecesOf(entries, AT_ONCE, weightOfEntry, isOfItem);
    return pieces.length > 1 ? this.writePieces(pieces, storing) : this.writePiece(entries, storing);
  }

  /** Once the first is stored, the others follow however long it takes. */
  private async writePieces([first = [], ...others]: Entry[][], storing: Storing): Promise<EventRecord[]> {
    const records = await this.writePiece(first, storing);
    for (const piece of others) records.push(...(await this.writePiece(piece, { ...storing, must: true })));
    return records;
  }

  /** An append whose outcome is unknown is repeated with the same numbers until it is known. */
  private async writePiece(entries: readonly Entry[], { must, refused }: Storing): Promise<EventRecord[]> {
    if (entries.length === 0) return [];
    const after = this.lastSeq;
    let repeats = must;
    const append = async (): Promise<EventRecord[]> => (this.hold ?? (await this.open())).append(after, entries);
    const records = await storePatiently(append, (error) => {
      repeats ||= error.code === "outcome_unknown";
      if (!repeats) throw error;
      refused(error);
    });
    this.lastSeq = after + entries.length;
    return records;
  }

  private async open(): Promise<Hold> {
    if (!this.created) throw new Error("expected a hold or a new session to store events in");
    this.hold = await this.log.open(this.created);
    return this.hold;
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
