import { setImmediate as nextTurn } from "node:timers/promises";
import { keepNewest } from "../../core/entries.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { FileChange } from "../../core/events/values.ts";
import { isCut, type Range } from "../../core/history/cuts.ts";
import type { EventRecord, Log, SessionHead } from "../../log/contract.ts";

const CHUNK = 1_000;
/** The number of sessions whose changes are kept, so that a second request reads only the new events. */
const MAX_KEPT = 16;

/** Puts changes of files together, in the form of a surface. */
export interface Changes<Diff> {
  add(changes: readonly FileChange[], directory: string): void;
  list(): Diff[];
}

interface Kept<Diff> {
  changes: Changes<Diff>;
  /** The ranges that were left out at the time of the reading. */
  cuts: string;
  /** The number up to which the log is in them. */
  upTo: number;
}

/** Most events change no file, and to look at their text is much cheaper than to read it. */
function mayChange({ type, json }: EventRecord): boolean {
  return type === "item.completed" && json.includes('"files":[');
}

/** The changes of a session's turns, file by file. */
export class SessionDiffs<Diff> {
  readonly #log: Log;
  readonly #begin: () => Changes<Diff> | Promise<Changes<Diff>>;
  readonly #kept = new Map<string, Promise<Kept<Diff>>>();

  constructor(log: Log, begin: () => Changes<Diff> | Promise<Changes<Diff>>) {
    this.#log = log;
    this.#begin = begin;
  }

  /** Without those of turns that were cut, and of further ranges. */
  async of(head: SessionHead, further: readonly Range[] = []): Promise<Diff[]> {
    const { id } = head.state;
    const ranges = [...(head.state.cuts ?? []), ...further];
    const cuts = JSON.stringify(ranges);
    const fresh = async (): Promise<Kept<Diff>> => ({ changes: await this.#begin(), cuts, upTo: 0 });
    const before = this.#kept.get(id) ?? fresh();
    // One after the other: two requests at once must not count a change twice.
    const reading = before.then(async (kept) => this.#readOn(head, ranges, kept.cuts === cuts ? kept : await fresh()));
    reading.catch(() => this.#kept.delete(id));
    keepNewest(this.#kept, id, reading, MAX_KEPT);
    return (await reading).changes.list();
  }

  /** Those of one turn; undefined where the session has no such turn. */
  async ofTurn({ state, last }: SessionHead, turn: string): Promise<Diff[] | undefined> {
    const start = await this.#startOf(state.id, turn, last + 1);
    if (start === undefined) return undefined;
    const changes = await this.#begin();
    for (let upTo = start; upTo < last; ) {
      const records = await this.#log.read(state.id, { after: upTo, limit: CHUNK });
      const end = records.findIndex(({ type }) => type === "turn.started" || type === "turn.ended");
      for (const record of end < 0 ? records : records.slice(0, end))
        if (mayChange(record)) await add(changes, record, state.directory);
      if (end >= 0 || records.length < CHUNK) break;
      upTo = records.at(-1)?.seq ?? last;
    }
    return changes.list();
  }

  /** The number with which a turn began. Turns have no key in the log, and the newest ones are asked for most. */
  async #startOf(session: string, turn: string, end: number): Promise<number | undefined> {
    for (let before = end; ; ) {
      const at = await this.#log.turnStart(session, before);
      if (at === undefined) return undefined;
      const [record] = await this.#log.read(session, { after: at - 1, limit: 1 });
      const isIt = record?.seq === at && record.json.includes(turn) && (JSON.parse(record.json) as ParleyEvent);
      if (isIt && isIt.turn === turn) return at;
      before = at;
    }
  }

  async #readOn({ state, last }: SessionHead, ranges: readonly Range[], kept: Kept<Diff>): Promise<Kept<Diff>> {
    const { changes, cuts } = kept;
    let { upTo } = kept;
    while (upTo < last) {
      const records = await this.#log.read(state.id, { after: upTo, limit: CHUNK });
      for (const record of records)
        if (mayChange(record) && !isCut(ranges, record.seq)) await add(changes, record, state.directory);
      upTo = records.at(-1)?.seq ?? last;
      await nextTurn();
    }
    return { changes, cuts, upTo };
  }
}

/** Takes a change in. To compare long diffs takes a while, so that others have their turn in between. */
async function add<Diff>(changes: Changes<Diff>, { json }: EventRecord, directory: string): Promise<void> {
  const event = JSON.parse(json) as ParleyEvent;
  if (event.type !== "item.completed" || event.data.item.kind !== "tool_result") return;
  const { files = [] } = event.data.item;
  if (files.length === 0) return;
  changes.add(files, directory);
  await nextTurn();
}
