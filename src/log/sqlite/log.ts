import type { DatabaseSync } from "node:sqlite";
import { ParleyError } from "../../core/errors.ts";
import { FINDABLE_TYPES } from "../../core/search/text.ts";
import type { Hold, Log, NewSession, SessionHead } from "../contract.ts";
import { createHold, createRights, type HoldWork, type Right } from "../holds.ts";
import { createLane } from "../lane.ts";
import { createListeners } from "../listeners.ts";
import { assertFree, notFound } from "../plan-append.ts";
import { createCountOlder } from "./count-older.ts";
import { createDamage } from "./damage.ts";
import { toStorageError } from "./errors.ts";
import type { createFold } from "./fold.ts";
import { createForget } from "./forget.ts";
import { createGroupCommit } from "./group-commit.ts";
import { headOf } from "./heads.ts";
import type { PlaceGuard } from "./place-guard.ts";
import { createProbe } from "./probe.ts";
import { createReads } from "./reads.ts";
import { createLateIndexer } from "./search/late-indexer.ts";
import { createToldPieces, readToldPieces } from "./told-pieces.ts";

/** Every process that serves a data directory has this name: the lock on the directory proves that earlier ones are dead. */
const OWNER = "local";

export interface SqliteLogOptions {
  /** The data directory, in which the index for searches is. */
  directory: string;
  /** Whether the agents' own lines are stored beside the events. */
  keepNative: boolean;
  guard: PlaceGuard;
  /** Whether a piece may be told before the database has it, once it is written down. */
  early: boolean;
  /** Asked when the database fails without a reason. */
  hasSpace(): boolean;
  /** Hears of listeners that throw and of sweeps that failed. */
  report(thrown: unknown): void;
}

/** A log over a database that has the newest schema. It owns the database from here on. */
export function createSqliteLog(database: DatabaseSync, options: SqliteLogOptions): Log {
  const { directory, keepNative, guard, early, hasSpace, report } = options;
  const toError = (thrown: unknown) => toStorageError(thrown, hasSpace);
  const damage = createDamage(report);
  const { events, heads, sessions, spent } = createReads(database, damage);
  const listeners = createListeners(report);
  // In memory, because the kernel lets one process write to the file, and all of its holds are taken here.
  const rights = createRights();
  const commits = createGroupCommit({
    database,
    heads,
    rights,
    events,
    keepNative,
    guard,
    file: createToldPieces(directory),
    early,
    left: readToldPieces(directory),
    late(sessions) {
      for (const session of sessions) listeners.wake(session);
      listeners.tellAll([], [], commits.position());
    },
    toError,
    publish(records, told, after, heavy) {
      for (const [index, { type }] of records.entries())
        if (FINDABLE_TYPES.has(type)) indexer.stored(after + index + 1);
      listeners.publish(records, told, after, heavy);
    },
  });
  const { position } = commits;
  const indexer = createLateIndexer({ database, directory, events, position, report });
  let fold: ReturnType<typeof createFold> | undefined;
  const forget = createForget(database, heads, indexer);
  const countOlder = createCountOlder(database);
  const lane = createLane();
  const probe = createProbe(database);
  let closed: Promise<void> | undefined;

  function checkOpen(): void {
    if (closed) throw new ParleyError("shutting_down", "the log is closed: the server is stopping");
  }

  /** The database answers at once; its failures become those of the contract. */
  async function using<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      checkOpen();
      return await work();
    } catch (thrown) {
      throw toError(thrown);
    }
  }

  /** Reads what was told, all of it. */
  const reading = <T>(read: () => T | Promise<T>): Promise<T> =>
    using(() => {
      commits.settle();
      return read();
    });

  /** Folds or forgets, a slice at a time; `check` throws when the log was closed or the hold is stale. */
  const inLane = (right: Right, work: (check: () => void) => Promise<void>) =>
    reading(() => {
      guard.assertInPlace();
      const check = (): void => {
        checkOpen();
        rights.assert(right);
      };
      return lane.run(async () => {
        // Nothing is forgotten before it is counted.
        await countOlder(checkOpen);
        check();
        await work(check);
      });
    });

  const work: HoldWork = {
    append: (append) => using(() => commits.append(append)),
    appendPiece: (piece) => !closed && commits.appendPiece(piece),
    fold: (right, upTo) =>
      inLane(right, async (check) => {
        fold ??= (await import("./fold.ts")).createFold(database);
        check();
        await fold(right.session, upTo, check);
      }),
    prune: (right, before) =>
      inLane(right, (check) => forget.prune(right.session, before, check)).then(commits.forgetPieces),
    remove: (right) => inLane(right, (check) => forget.remove(right.session, check)).then(commits.forgetPieces),
    end: (right) => rights.end(right),
  };

  const headNow = (session: string): SessionHead | undefined => headOf(heads.find(session));

  /** Reads and takes in one go: nothing is stored in between. */
  function open(asked: string | NewSession): Hold {
    const create = typeof asked === "string" ? undefined : asked;
    const session = create?.id ?? String(asked);
    const found = heads.find(session);
    const head = headOf(found);
    if (create) assertFree(session, found);
    else if (!head) throw notFound(session);
    return createHold(rights.take(session, head?.last ?? 0, create), head, work);
  }

  const boot = async (): Promise<void> => {
    await countOlder(checkOpen);
    await forget.sweepAll(checkOpen);
  };
  lane.run(boot).catch((thrown) => closed || report(toError(thrown)));

  return {
    owner: OWNER,
    open: (session) => reading(() => open(session)),
    read: (session, query) => reading(() => events.read(session, query)),
    readBack: (session, query) => reading(() => events.readBack(session, query)),
    pick: (session, query) => reading(() => events.pick(session, query)),
    told: (session, between) => reading(() => events.told(session, between)),
    turnStart: (session, before) => reading(() => events.turnStart(session, before)),
    readAll: (query) => reading(() => events.readAll(query)),
    readAllBack: (query) => reading(() => events.readAllBack(query)),
    position: () => reading(() => commits.position()),
    head: (session) => reading(() => headNow(session)),
    base: (session) => reading(() => sessions.base(session)),
    list: (query) => reading(() => sessions.list(query)),
    recent: (query) => reading(() => sessions.recent(query)),
    directories: (limit) => reading(() => sessions.directories(limit)),
    spent: (query) =>
      reading(async () => {
        if (spent.isPartial()) await lane.run(() => countOlder(checkOpen));
        checkOpen();
        return spent.read(query);
      }),
    unsettled: (owner = OWNER) => reading(() => (owner === OWNER ? sessions.unsettled() : [])),
    find: (session, key) => reading(() => events.find(session, key)),
    locate: (key) => reading(() => events.locate(key)),
    search: (query) =>
      reading(async () => {
        const { search } = await import("../search/search.ts");
        const index = await indexer.index();
        checkOpen();
        return search({ position, readAllBack: events.readAllBack, head: headNow, index }, query);
      }),
    listen: listeners.add,
    listenAll: listeners.addAll,
    check: () =>
      reading(() => {
        guard.assertInPlace();
        probe(commits.position() + 1);
      }),
    fault: () => guard.fault(),
    unreadable: (session) => damage.numbers(session),
    close() {
      closed ??= (async () => {
        commits.close();
        listeners.flush();
        await lane.idle();
        indexer.close();
        try {
          database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        } catch {
          // The write-ahead log is kept then, and read at the next start.
        }
        database.close();
      })();
      return closed;
    },
  };
}
