import { existsSync } from "node:fs";
import path from "node:path";
import { ParleyError } from "../../../core/errors.ts";
import type { LogReader } from "../../contract.ts";
import { createDamage } from "../damage.ts";
import { toStorageError } from "../errors.ts";
import { headOf } from "../heads.ts";
import { assertNotVanished } from "../made-before.ts";
import { assertNewest } from "../migrations.ts";
import { createReads, type Reads } from "../reads.ts";
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
  close(): void;
}

function openView(file: string, report: (thrown: unknown) => void): View {
  const changed = fileChanges(file);
  const database = openReadOnly(file);
  try {
    assertNewest(database);
    const reads = createReads(database, createDamage(report));
    return { reads, changed, close: () => database.close() };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
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
  function attempt<T>(work: (reads: Reads) => T): { value: T } | undefined {
    met.length = 0;
    const changed = view?.changed ?? fileChanges(file);
    try {
      view ??= openView(file, (thrown) => met.push(thrown));
      const value = work(view.reads);
      if (!changed()) return { value };
    } catch (thrown) {
      if (!changed()) throw toStorageError(thrown, () => true);
    }
    view?.close();
    view = undefined;
    return undefined;
  }

  async function using<T>(work: (reads: Reads) => T): Promise<T> {
    for (let left = TRIES; left > 0; left--) {
      const done = attempt(work);
      if (!done) continue;
      for (const thrown of met.splice(0)) report(thrown);
      return done.value;
    }
    throw new ParleyError("unavailable", `${file} changes faster than it can be read: ask the server that writes it`);
  }

  await using(() => undefined);
  return {
    read: (session, query) => using(({ events }) => events.read(session, query)),
    head: (session) => using(({ heads }) => headOf(heads.find(session))),
    base: (session) => using(({ sessions }) => sessions.base(session)),
    list: (query) => using(({ sessions }) => sessions.list(query)),
    spent: (query) =>
      using(({ spent }) => {
        if (spent.isPartial()) throw uncounted();
        return spent.read(query);
      }),
    close: async () => view?.close(),
  };
}
