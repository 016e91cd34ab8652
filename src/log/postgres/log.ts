import { messageOf, ParleyError } from "../../core/errors.ts";
import { FINDABLE_TYPES } from "../../core/search/text.ts";
import type { Hold, NewSession, SessionHead } from "../contract.ts";
import { createHold, fenced, type HoldWork } from "../holds.ts";
import { createLane } from "../lane.ts";
import { createListeners } from "../listeners.ts";
import { assertFree, notFound } from "../plan-append.ts";
import { search } from "../search/search.ts";
import { createEventReads } from "./event-reads.ts";
import { createFold } from "./fold.ts";
import { createFollower } from "./follower.ts";
import { createForget } from "./forget.ts";
import { createGroupCommit } from "./group-commit.ts";
import { createHelds, type Held } from "./held.ts";
import { COMMITS } from "./hint-lines.ts";
import { createHints } from "./hints.ts";
import { createHistory } from "./history.ts";
import { createLoss } from "./loss.ts";
import type { PostgresLog, PostgresLogOptions } from "./options.ts";
import { createOrderer } from "./orderer.ts";
import { createIndexReads } from "./search/index-reads.ts";
import { createIndexer } from "./search/indexer.ts";
import { createSessionReads, headOf } from "./session-reads.ts";
import { countOlder, createSpentReads } from "./spent.ts";
import { releaseSession, takeSession } from "./take.ts";
import { createTicks } from "./ticks.ts";

export type { PostgresLog, PostgresLogOptions, PostgresLogStats } from "./options.ts";

/** The kind of hints about positions. */
const POSITION = "o";

export async function createPostgresLog(options: PostgresLogOptions): Promise<PostgresLog> {
  const { database, directory, place, keepNative = false, report = warn } = options;
  const events = createEventReads(database);
  const sessions = createSessionReads(database);
  const spent = createSpentReads(database);
  const position = await events.position();
  const listeners = createListeners(report);
  const helds = createHelds();
  const fold = createFold(database);
  const forget = createForget(database);
  const lane = createLane();
  let fences = 0;
  let closed: Promise<void> | undefined;
  // While the database is away everybody who needs it hears of it: what goes on behind the scenes adds nothing.
  const quietly = (thrown: unknown): void => {
    if (!closed && !isAway(thrown)) report(thrown);
  };
  const indexer = createIndexer({ database, report: quietly });
  const follower = createFollower({
    database,
    events,
    listeners,
    keepNative,
    position,
    held: helds.last,
    report: quietly,
  });
  const hints = createHints({
    database,
    up() {
      ticks.now();
      // After a connection was lost a pass tells whether it is the same database.
      orderer.stored();
    },
    report: quietly,
  });
  let top = position;
  const loss = createLoss({
    database,
    position: events.position,
    held: helds.lasts,
    told: () => {
      const { sessions: told, position: newest } = follower.told();
      return { sessions: told, position: Math.max(newest, top) };
    },
    lost(lost, newest) {
      const stepsBack = newest !== undefined && newest < top;
      if (newest !== undefined) top = newest;
      follower.lost(lost, newest);
      if (lost.length > 0 || stepsBack) options.lostEnd?.();
    },
  });
  const history = createHistory({ database, other: loss.find });
  hints.on(COMMITS, follower.hinted);
  hints.on(POSITION, (text) => follower.moved(Number(text) || 0));
  const orderer = createOrderer({
    database,
    passed(newest, moved) {
      // Passes come one after the other: only a database that lost its end steps back.
      if (newest < top) loss.find().catch(quietly);
      else top = newest;
      if (moved) hints.send(POSITION, String(newest));
      follower.moved(newest);
    },
    report: quietly,
  });
  const ticks = createTicks({
    busy: follower.busy,
    hinted: hints.up,
    async tick() {
      hints.look();
      await history.look();
      if ((await follower.poll(orderer.floor())) || orderer.due()) orderer.stored();
    },
    sweep() {
      // Events that a node that died has not indexed.
      indexer.stored();
      return lane.run(() => forget.sweepAll(checkOpen));
    },
    report: quietly,
  });
  const commits = createGroupCommit({
    database,
    node: options.node,
    place,
    keepNative,
    events,
    stored(records, told) {
      const [first, last] = [records[0], records.at(-1)];
      if (!first || !last) return;
      follower.stored(records, told);
      hints.commit({ session: first.session, from: first.seq, to: last.seq });
      orderer.stored();
      if (records.some(({ type }) => FINDABLE_TYPES.has(type))) indexer.stored();
    },
    lost: loss.of,
    fenced: () => fences++,
    report,
  });

  const index = createIndexReads(database);
  const headNow = async (session: string): Promise<SessionHead | undefined> => headOf(await sessions.find(session));

  function checkOpen(): void {
    if (closed) throw new ParleyError("shutting_down", "the log is closed: the server is stopping");
  }

  async function using<T>(work: () => T | Promise<T>): Promise<T> {
    checkOpen();
    return await work();
  }

  /** Reads of the order over all sessions see what this process has stored. */
  const ordered = <T>(read: () => Promise<T>): Promise<T> =>
    using(async () => {
      // Where the order cannot be made now, the read says what there is, or that the database is away.
      await orderer.settled().catch(() => undefined);
      return read();
    });

  let counted = false;
  async function count(): Promise<void> {
    if (!counted) await countOlder(database, checkOpen);
    counted = true;
  }
  lane.run(count).catch(quietly);

  /** Folds or forgets, a slice at a time; `check` throws when the log was closed or the hold is stale. */
  const inLane = (held: Held, work: (check: () => void) => Promise<void>): Promise<void> =>
    using(() => {
      const check = (): void => {
        checkOpen();
        if (held.stale) throw fenced(held.session);
      };
      return lane.run(async () => {
        // Nothing is forgotten before it is counted.
        await count();
        check();
        await work(check);
      });
    });

  const work: HoldWork<Held> = {
    append: (append) => using(() => commits.append(append)),
    async fold(held, upTo) {
      // Listeners of all sessions hear later than others: those of this process get a turn piece by piece, too.
      await using(() => orderer.settled().catch(() => undefined));
      await follower.toldAll();
      await inLane(held, (check) => fold(held, upTo, check));
    },
    prune: (held, before) => inLane(held, (check) => forget.prune(held, before, check)),
    remove: (held) => inLane(held, (check) => forget.remove(held, check)),
    async end(held) {
      helds.end(held);
      if (!closed) await releaseSession(database, held).catch(quietly);
    },
  };

  async function open(asked: string | NewSession): Promise<Hold> {
    if (typeof asked === "string") return take(asked);
    const found = await sessions.find(asked.id);
    assertFree(asked.id, found);
    const held = helds.toCreate(asked);
    helds.add(held);
    return createHold(held, undefined, work);
  }

  async function take(session: string): Promise<Hold> {
    const { sid, epoch } = await takeSession(database, session, options.node());
    const held: Held = {
      session,
      epoch,
      since: 0,
      create: undefined,
      sid,
      target: undefined,
      state: undefined,
      stale: false,
    };
    helds.add(held);
    // A statement of its own, after the right was taken: see `take_v1`.
    const found = await sessions.find(session);
    const head = headOf(found);
    if (!head || !found || found === "removed") throw notFound(session);
    const { sid: _, ...target } = found;
    Object.assign(held, { since: head.last, target, state: head.state });
    return createHold(held, head, work);
  }

  // The first mark: what is lost before it shows nowhere.
  await history.look();
  return {
    owner: directory,
    hints,
    open: (session) => using(() => open(session)),
    read: (session, query) => using(() => events.read(session, query)),
    readBack: (session, query) => using(() => events.readBack(session, query)),
    pick: (session, query) => using(() => events.pick(session, query)),
    told: (session, between) => using(() => events.told(session, between)),
    turnStart: (session, before) => using(() => events.turnStart(session, before)),
    readAll: (query) => ordered(() => events.readAll(query)),
    readAllBack: (query) => ordered(() => events.readAllBack(query)),
    position: () => ordered(() => events.position()),
    head: (session) => using(() => headNow(session)),
    base: (session) => using(() => sessions.base(session)),
    list: (query) => using(() => sessions.list(query)),
    recent: (query) => using(() => sessions.recent(query)),
    directories: (limit) => using(() => sessions.directories(limit)),
    spent: (query) =>
      using(async () => {
        if (!counted && (await spent.isPartial())) await lane.run(count);
        return spent.read(query);
      }),
    unsettled: (owner) => using(() => sessions.unsettled(owner)),
    find: (session, key) => using(() => events.find(session, key)),
    locate: (key) => using(() => events.locate(key)),
    search: (query) => ordered(() => search({ ...events, head: headNow, index }, query)),
    listen: follower.listen,
    listenAll: follower.listenAll,
    lostTo: () => using(() => loss.positionsTo()),
    check: () =>
      using(async () => {
        const sql = `INSERT INTO checks (directory, checked) VALUES ($1, clock_timestamp())
          ON CONFLICT (directory) DO UPDATE SET checked = clock_timestamp()`;
        await database.append(sql, [directory]);
      }),
    fault: () => options.fault?.(),
    unreadable: () => [],
    stats: () => ({
      ...database.stats(),
      fenced: fences,
      hintsUp: hints.up(),
      hintLagMs: hints.lagMs(),
      orderLagMs: orderer.lagMs(),
    }),
    close() {
      closed ??= (async () => {
        ticks.close();
        await commits.idle();
        await lane.idle();
        await indexer.close();
        await orderer.close();
        await hints.close();
        await follower.close();
      })();
      return closed;
    },
  };
}

/** Whether an error only says that the database is away, or the server stopping. */
function isAway(thrown: unknown): boolean {
  return thrown instanceof ParleyError && ["unavailable", "outcome_unknown", "shutting_down"].includes(thrown.code);
}

function warn(thrown: unknown): void {
  process.emitWarning(messageOf(thrown));
}
