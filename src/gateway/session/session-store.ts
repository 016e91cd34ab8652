import { isParleyError } from "../../core/errors.ts";
import { piecesOf, weightOf } from "../../core/json/weight.ts";
import type { Entry, Log, LogRecord, NewSession } from "../../log/contract.ts";
import { AT_ONCE } from "./inbox.ts";

export interface StoreOptions {
  log: Log;
  id: string;
  /** The number of the session's newest event, 0 for a new one. */
  last: number;
  /** Set for a session whose first event is still to be stored. */
  create: NewSession | undefined;
}

const weightOfEntry = ({ draft }: Entry): number => weightOf(draft.data);

/** After these a process may end at any time: the turn they belong to is closed by the next one. */
const isOfItem = ({ draft }: Entry): boolean => draft.type.startsWith("item.");

/** A session's part of the log. All writes to the log are made here. */
export class SessionStore {
  private readonly options: StoreOptions;
  private create: NewSession | undefined;
  private lastSeq: number;

  constructor(options: StoreOptions) {
    this.options = options;
    this.create = options.create;
    this.lastSeq = options.last;
  }

  /** The number of the newest event that was stored here. */
  get last(): number {
    return this.lastSeq;
  }

  /** The parts in which events are stored. The first events of a session are one: half a fork is no session. */
  piecesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
    if (entries.length === 0) return [];
    return this.create ? [entries] : piecesOf(entries, AT_ONCE, weightOfEntry, isOfItem);
  }

  /** Stores events in one transaction. After a refusal or an unknown outcome the same call may be made again. */
  async write(entries: readonly Entry[]): Promise<LogRecord[]> {
    const records = await this.options.log.append(this.options.id, entries, this.create);
    this.create = undefined;
    this.lastSeq = records.at(-1)?.seq ?? this.lastSeq;
    return records;
  }

  /** Folds the session's ended turns, then drops all but so many of its events; 0 keeps all. */
  async tidy(keep: number): Promise<void> {
    const { log, id } = this.options;
    const { last } = this;
    try {
      await log.fold(id, last);
      if (keep > 0 && last > keep) await log.prune(id, last - keep);
    } catch (error) {
      // Turns that a shutdown leaves unfolded are folded after a later turn.
      if (!isParleyError(error) || error.code !== "shutting_down") throw error;
    }
  }

  /** Forgets all that is stored but for the last event, which says that the session was deleted. */
  remove(): Promise<void> {
    return this.options.log.remove(this.options.id);
  }
}
