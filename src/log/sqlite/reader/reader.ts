import { existsSync } from "node:fs";
import path from "node:path";
import { ParleyError } from "../../../core/errors.ts";
import type { EventRecord, LogReader, ReadQuery, SessionHead } from "../../contract.ts";
import type { SearchPage, SearchQuery } from "../../search/contract.ts";
import { type SearchIndex, type SearchSource, search } from "../../search/search.ts";
import { narrow } from "../../search/terms.ts";
import { createDamage } from "../damage.ts";
import { toStorageError } from "../errors.ts";
import { headOf } from "../heads.ts";
import { assertNotVanished } from "../made-before.ts";
import { assertNewest } from "../migrations.ts";
import { createReads, type Reads } from "../reads.ts";
import { type IndexFile, indexFileIn, openIndexReader } from "../search/index-file.ts";
import { findLogId } from "../search/log-id.ts";
import { readToldPieces, toldAfter } from "../told-pieces.ts";
import { fileChanges, openReadOnly } from "./open-read-only.ts";

/** A server that starts meanwhile changes the file now and then: a read that met a change is made again. */
const TRIES = 10;

function uncounted(): ParleyError {
  const message = "turns of an older Parley are not counted yet: start `parley serve`, which counts them";
  return new ParleyError("unavailable", message);
}

interface View {
  reads: Reads;
  /** Whether the file is not the one that was opened: what was read may be torn. */
  changed(): boolean;
  /** The index for searches, where there is one of this log. */
  index(): IndexFile | undefined;
  /** The newest position. */
  position(): number;
  close(): void;
}

function openView(file: string, report: (thrown: unknown) => void): View {
  const changes = [fileChanges(file)];
  const database = openReadOnly(file);
  let index: IndexFile | undefined;
  try {
    assertNewest(database);
    const reads = createReads(database, createDamage(report));
    return {
      reads,
      changed: () => changes.some((changed) => changed()),
      index() {
        const directory = path.dirname(file);
        const log = findLogId(database);
        if (index || log === undefined) return index;
        changes.push(fileChanges(indexFileIn(directory)));
        index = openIndexReader(directory, log);
        return index;
      },
      position: () => reads.events.readAllBack({ before: Number.MAX_SAFE_INTEGER, limit: 1 })[0]?.position ?? 0,
      close() {
        index?.close();
        database.close();
      },
    };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Searches by the index; one that cannot be read is done without. */
async function searchView(view: View, query: SearchQuery): Promise<SearchPage> {
  const { events, heads } = view.reads;
  const source: SearchSource = {
    position: view.position,
    readAllBack: events.readAllBack,
    head: (session) => headOf(heads.find(session)),
  };
  const index = view.index();
  if (!index) return search(source, query);
  const at: SearchIndex = {
    upTo: index.upTo,
    candidates: (asked, before, limit) => events.at(index.find(narrow(asked), before, limit)),
  };
  return search({ ...source, index: at }, query).catch(() => search(source, query));
}

/** The pieces of a session that were told before its server died, and that the next server stores. */
function toldIn(directory: string, head: SessionHead | undefined): EventRecord[] {
  return head ? toldAfter(head.state.id, head.last, readToldPieces(directory)) : [];
}

/** Events that were read of the database, and the pieces behind them, as far as the query goes. */
function withTold(
  read: EventRecord[],
  told: readonly EventRecord[],
  { after, limit, native }: ReadQuery,
): EventRecord[] {
  const wanted = told.filter(({ seq }) => seq > (read.at(-1)?.seq ?? after)).slice(0, limit - read.length);
  return [
    ...read,
    ...wanted.map(({ native: line, ...record }) => (native && line ? { ...record, native: line } : record)),
  ];
}

/** Reads the log of a directory that has one, beside whatever else happens to it: it takes no lock and changes no byte. */
export async function openLogReader(
  directory: string,
  report: (thrown: unknown) => void,
): Promise<LogReader | undefined> {
  const file = path.join(directory, "parley.db");
  assertNotVanished(directory, file);
  if (!existsSync(file)) return undefined;
  const met: unknown[] = [];
  let view: View | undefined;

  /** One attempt; undefined where the file was changed by then. */
  async function attempt<T>(work: (view: View) => T | Promise<T>): Promise<{ value: T } | undefined> {
    met.length = 0;
    const changed = view?.changed ?? fileChanges(file);
    try {
      view ??= openView(file, (thrown) => met.push(thrown));
      const value = await work(view);
      if (!changed()) return { value };
    } catch (thrown) {
      if (!changed()) throw toStorageError(thrown, () => true);
    }
    view?.close();
    view = undefined;
    return undefined;
  }

  async function using<T>(work: (view: View) => T | Promise<T>): Promise<T> {
    for (let left = TRIES; left > 0; left--) {
      const done = await attempt(work);
      if (!done) continue;
      for (const thrown of met.splice(0)) report(thrown);
      return done.value;
    }
    throw new ParleyError("unavailable", `${file} changes faster than it can be read: ask the server that writes it`);
  }

  await using(() => undefined);
  return {
    read: (session, query) =>
      using(({ reads }) => {
        const told = toldIn(directory, headOf(reads.heads.find(session)));
        return withTold(reads.events.read(session, query), told, query);
      }),
    head: (session) =>
      using(({ reads }) => {
        const head = headOf(reads.heads.find(session));
        return head && { ...head, last: head.last + toldIn(directory, head).length };
      }),
    base: (session) => using(({ reads }) => reads.sessions.base(session)),
    list: (query) => using(({ reads }) => reads.sessions.list(query)),
    search: (query) => using((open) => searchView(open, query)),
    spent: (query) =>
      using(({ reads }) => {
        if (reads.spent.isPartial()) throw uncounted();
        return reads.spent.read(query);
      }),
    close: async () => view?.close(),
  };
}
