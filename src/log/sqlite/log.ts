import type { DatabaseSync } from "node:sqlite";
import { ParleyError } from "../../core/errors.ts";
import type { Log } from "../contract.ts";
import { createLane } from "../lane.ts";
import { createListeners } from "../listeners.ts";
import { readState } from "./checksum.ts";
import { createDamage } from "./damage.ts";
import { toStorageError } from "./errors.ts";
import { createEventReads } from "./event-reads.ts";
import { createFold } from "./fold.ts";
import { createForget } from "./forget.ts";
import { createGroupCommit } from "./group-commit.ts";
import { createHeads, type Rebuild } from "./heads.ts";
import type { PlaceGuard } from "./place-guard.ts";
import { createProbe } from "./probe.ts";
import { rebuildState } from "./rebuild-state.ts";
import { createSessionReads } from "./session-reads.ts";
import { prepare } from "./statement.ts";

/** How many sessions' states are kept in memory. */
const CACHED_HEADS = 256;

export interface SqliteLogOptions {
  /** Whether the agents' own lines are stored beside the events. */
  keepNative: boolean;
  guard: PlaceGuard;
  /** Asked when the database fails without a reason. */
  hasSpace(): boolean;
  /** Hears of listeners that throw and of sweeps that failed. */
  report(thrown: unknown): void;
}

/** A log over a database that has the newest schema. It owns the database from here on. */
export function createSqliteLog(database: DatabaseSync, options: SqliteLogOptions): Log {
  const { keepNative, guard, hasSpace, report } = options;
  const toError = (thrown: unknown) => toStorageError(thrown, hasSpace);
  const damage = createDamage(report);
  const events = createEventReads(database, damage);
  const storedBase = prepare<[string], { base: unknown }>(database, "SELECT base FROM sessions WHERE id = ?");
  const rebuild: Rebuild = (session) => {
    damage.metState(session);
    const base = readState(session, storedBase.get(session)?.base);
    return rebuildState((query) => events.read(session, query), base);
  };
  const heads = createHeads(database, CACHED_HEADS, rebuild);
  const listeners = createListeners(report);
  const commits = createGroupCommit({ database, heads, keepNative, guard, toError, publish: listeners.publish });
  const sessions = createSessionReads(database, rebuild);
  const fold = createFold(database);
  const forget = createForget(database, heads);
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

  const inLane = (work: () => Promise<void>) =>
    using(() => {
      guard.assertInPlace();
      return lane.run(work);
    });

  lane.run(() => forget.sweepAll(checkOpen)).catch((thrown) => closed || report(toError(thrown)));

  return {
    append: (session, entries, create) => using(() => commits.append({ session, entries, create })),
    read: (session, query) => using(() => events.read(session, query)),
    readBack: (session, query) => using(() => events.readBack(session, query)),
    turnStart: (session, before) => using(() => events.turnStart(session, before)),
    readAll: (query) => using(() => events.readAll(query)),
    position: () => using(() => commits.position()),
    head: (session) =>
      using(() => {
        const found = heads.find(session);
        return found && found !== "removed" ? { state: found.state, last: found.last, first: found.first } : undefined;
      }),
    base: (session) => using(() => sessions.base(session)),
    list: (query) => using(() => sessions.list(query)),
    unsettled: () => using(() => sessions.unsettled()),
    find: (session, key) => using(() => events.find(session, key)),
    locate: (key) => using(() => events.locate(key)),
    fold: (session, upTo) => inLane(() => fold(session, upTo, checkOpen)),
    prune: (session, before) => inLane(() => forget.prune(session, before, checkOpen)),
    remove: (session) => inLane(() => forget.remove(session, checkOpen)),
    listen: listeners.add,
    check: () =>
      using(() => {
        guard.assertInPlace();
        probe(commits.position() + 1);
      }),
    fault: () => guard.fault(),
    unreadable: (session) => damage.numbers(session),
    close() {
      closed ??= (async () => {
        commits.flush();
        await lane.idle();
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
