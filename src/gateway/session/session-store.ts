import { isParleyError, type ParleyError } from "../../core/errors.ts";
import { piecesOf, weightOf } from "../../core/json/weight.ts";
import type { Entry, Log, LogRecord, NewSession } from "../../log/contract.ts";
import { AT_ONCE } from "./backpressure.ts";
import { storePatiently } from "./store-patiently.ts";

export interface StoreOptions {
  log: Log;
  id: string;
  /** The number of the session's newest event, 0 for a new one. */
  last: number;
  /** Set for a session whose first event is still to be stored. */
  create: NewSession | undefined;
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

  /** Stores events in order. The first events of a session are one transaction: half a fork is no session. */
  write(entries: readonly Entry[], storing: Storing): Promise<LogRecord[]> {
    const pieces = this.create ? [] : piecesOf(entries, AT_ONCE, weightOfEntry, isOfItem);
    return pieces.length > 1 ? this.writePieces(pieces, storing) : this.writePiece(entries, storing);
  }

  /** Once the first is stored, the others follow however long it takes. */
  private async writePieces([first = [], ...others]: Entry[][], storing: Storing): Promise<LogRecord[]> {
    const records = await this.writePiece(first, storing);
    for (const piece of others) records.push(...(await this.writePiece(piece, { ...storing, must: true })));
    return records;
  }

  private async writePiece(entries: readonly Entry[], { must, refused }: Storing): Promise<LogRecord[]> {
    if (entries.length === 0) return [];
    const append = (): Promise<LogRecord[]> => this.options.log.append(this.options.id, entries, this.create);
    const records = must ? await storePatiently(append, refused) : await append();
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
