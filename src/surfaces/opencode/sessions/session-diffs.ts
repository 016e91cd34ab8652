import { setImmediate as nextTurn } from "node:timers/promises";
import { keepNewest } from "../../../core/entries.ts";
import type { ParleyEvent } from "../../../core/events/event.ts";
import { isCut } from "../../../core/history/cuts.ts";
import type { EventRecord, Log, SessionHead } from "../../../log/contract.ts";
import { FileDiffs } from "../projection/file-diffs.ts";
import type { FileDiff } from "../shapes/session.ts";

const CHUNK = 1_000;
/** The number of sessions whose changes are kept, so that a second request reads only the new events. */
const MAX_KEPT = 16;

interface Kept {
  diffs: FileDiffs;
  /** The reverted ranges at the time of the reading. */
  cuts: string;
  /** The number up to which the log is in them. */
  upTo: number;
}

/** Most events change no file, and to look at their text is much cheaper than to read it. */
function mayChange({ type, json }: EventRecord): boolean {
  return type === "item.completed" && json.includes('"files":[');
}

/** The changes of a session's turns, file by file. */
export class SessionDiffs {
  readonly #log: Log;
  readonly #kept = new Map<string, Promise<Kept>>();

  constructor(log: Log) {
    this.#log = log;
  }

  async of(head: SessionHead): Promise<FileDiff[]> {
    const { id } = head.state;
    const cuts = JSON.stringify(head.state.cuts ?? []);
    const fresh = (): Kept => ({ diffs: new FileDiffs(), cuts, upTo: 0 });
    const before = this.#kept.get(id) ?? Promise.resolve(fresh());
    // One after the other: two requests at once must not count a change twice.
    const reading = before.then((kept) => this.#readOn(head, kept.cuts === cuts ? kept : fresh()));
    reading.catch(() => this.#kept.delete(id));
    keepNewest(this.#kept, id, reading, MAX_KEPT);
    return (await reading).diffs.list();
  }

  async #readOn({ state, last }: SessionHead, kept: Kept): Promise<Kept> {
    const { diffs, cuts } = kept;
    let { upTo } = kept;
    while (upTo < last) {
      const records = await this.#log.read(state.id, { after: upTo, limit: CHUNK });
      for (const record of records)
        if (mayChange(record) && !isCut(state.cuts, record.seq)) add(diffs, record, state.directory);
      upTo = records.at(-1)?.seq ?? last;
      await nextTurn();
    }
    return { diffs, cuts, upTo };
  }
}

function add(diffs: FileDiffs, { json }: EventRecord, directory: string): void {
  const event = JSON.parse(json) as ParleyEvent;
  if (event.type !== "item.completed" || event.data.item.kind !== "tool_result") return;
  diffs.add(event.data.item.files ?? [], directory);
}
