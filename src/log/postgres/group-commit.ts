import { setImmediate as nextTurn } from "node:timers/promises";
import { isParleyError, ParleyError } from "../../core/errors.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import { weightOf } from "../../core/json/weight.ts";
import type { Database } from "../../postgres/database.ts";
import { sqlStateOf } from "../../postgres/errors.ts";
import type { EventRecord } from "../contract.ts";
import { fenced } from "../holds.ts";
import { type Append, type Planned, planAppend, repeatQuery, storedBefore, type Target } from "../plan-append.ts";
import { textsOf } from "../written.ts";
import { type AppendRow, appendCall, type PlannedAppend } from "./append-call.ts";
import type { EventReads } from "./event-reads.ts";
import type { Held } from "./held.ts";
import { isUnwritten, takeGroup } from "./take-group.ts";

/** The time for an answer, for a group of the usual size. */
const ANSWER_MS = 5_000;
/** A whole history that is imported at once gets more time: a slow server takes this much. */
const CHARACTERS_PER_MS = 500;
/** Tries of a statement that was refused because of another one at the same time. */
const MAX_TRIES = 5;
/** A number that is taken, two transactions that cannot both be, two that wait for each other: the same statement again. */
const AGAIN: ReadonlySet<string | undefined> = new Set(["23505", "40001", "40P01"]);

interface Pending extends Append {
  right: Held;
  weight: number;
  resolve(records: EventRecord[]): void;
  reject(error: unknown): void;
}

interface Taken extends PlannedAppend {
  pending: Pending;
}

export interface GroupCommitOptions {
  database: Pick<Database, "append">;
  node(): number;
  place: string;
  keepNative: boolean;
  events: Pick<EventReads, "read" | "holds">;
  /** Hears of appends that were stored, each of one session. */
  stored(records: readonly EventRecord[], events: readonly ParleyEvent[]): void;
  /** A session of which the database lacks numbers up to this one; the session may be taken again when this resolves. */
  lost(session: string, last: number): Promise<void>;
  /** Hears of a hold that the database no longer knows. */
  fenced(): void;
  report(thrown: unknown): void;
}

/**
 * Collects what is appended while a statement is under way and stores it with the next one, at most one append of a
 * session in each. Each is stored or refused by itself.
 */
export function createGroupCommit(options: GroupCommitOptions) {
  const { database, node, place, keepNative, events, stored, report } = options;
  let queue: Pending[] = [];
  let working: Promise<void> | undefined;

  function append(request: Append & { right: Held }): Promise<EventRecord[]> {
    return new Promise((resolve, reject) => {
      let weight = 0;
      for (const { draft } of request.entries) weight += weightOf(draft.data);
      queue.push({ ...request, weight, resolve, reject });
      working ??= work();
    });
  }

  async function work(): Promise<void> {
    // The check phase follows the poll phase: all signals that were read in this turn of the loop are there.
    for (await nextTurn(); queue.length > 0; ) {
      const [next] = queue;
      if (next && isUnwritten(next)) {
        next.texts = textsOf(next.entries);
        await nextTurn();
        continue;
      }
      const { group, left } = takeGroup(queue);
      queue = left;
      await commit(group).catch((thrown: unknown) => {
        for (const pending of group) pending.reject(thrown);
      });
    }
    working = undefined;
  }

  async function commit(group: readonly Pending[]): Promise<void> {
    const taken: Taken[] = [];
    const repeats: Promise<void>[] = [];
    for (const pending of group) {
      const held = pending.right;
      try {
        if (held.stale) throw fenced(held.session);
        const planned = planAppend(pending, { found: held.target, fresh: (target: Target) => target, keepNative });
        if (planned.repeated) repeats.push(settleRepeat(pending, held, planned));
        else if (planned.rows.length === 0) repeats.push(settleEmpty(pending, held));
        else taken.push({ pending, held, planned });
      } catch (refusal) {
        pending.reject(refusal);
      }
    }
    if (taken.length > 0) await send(taken);
    await Promise.all(repeats);
  }

  async function send(taken: readonly Taken[]): Promise<void> {
    let rows: AppendRow[];
    try {
      rows = await store(taken);
    } catch (thrown) {
      if (!isOwnFault(thrown)) for (const { pending } of taken) pending.reject(thrown);
      else if (taken.length > 1) for (const one of taken) await send([one]);
      else taken[0]?.pending.reject(unstorable(taken[0].held.session, thrown));
      return;
    }
    const repeats: Promise<void>[] = [];
    for (const [index, one] of taken.entries()) {
      const row = rows[index];
      if (row?.outcome === "stored")
        finish(
          one,
          row.sid,
          one.planned.rows.map(({ record }) => record),
        );
      else if (row?.outcome === "repeated") repeats.push(settleStored(one, row.sid));
      else repeats.push(drop(one, row?.outcome === "lost"));
    }
    await Promise.all(repeats);
  }

  async function store(taken: readonly Taken[]): Promise<AppendRow[]> {
    for (let tried = 1; ; tried++) {
      try {
        const { sql, values } = appendCall(node(), place, taken);
        const weight = taken.reduce((sum, { pending }) => sum + pending.weight, 0);
        return await database.append<AppendRow>(sql, values, { limitMs: ANSWER_MS + weight / CHARACTERS_PER_MS });
      } catch (thrown) {
        if (tried === MAX_TRIES || !AGAIN.has(sqlStateOf(thrown))) throw thrown;
      }
    }
  }

  function finish({ pending, held, planned }: Taken, sid: number | null, records: EventRecord[]): void {
    const { target, rows } = planned;
    Object.assign(held, { sid: sid ?? undefined, target, state: target.state });
    pending.resolve(records);
    stored(
      rows.map(({ record }) => record),
      rows.map(({ event }) => event),
    );
  }

  /** The end of an append whose first answer was lost: nobody has heard of its events yet. */
  async function settleStored(taken: Taken, sid: number | null): Promise<void> {
    const { pending, planned } = taken;
    try {
      const read = await events.read(pending.right.session, repeatQuery(pending));
      finish(taken, sid, storedBefore(pending, planned.target, read));
    } catch (thrown) {
      pending.reject(doubtful(thrown));
    }
  }

  async function settleRepeat(pending: Pending, held: Held, { target }: Planned<Target>): Promise<void> {
    try {
      const [holds, read] = await Promise.all([events.holds(held), events.read(held.session, repeatQuery(pending))]);
      if (!holds) throw lose(held);
      pending.resolve(storedBefore(pending, target, read));
    } catch (thrown) {
      pending.reject(doubtful(thrown));
    }
  }

  async function settleEmpty(pending: Pending, held: Held): Promise<void> {
    try {
      if (!(await events.holds(held))) throw lose(held);
      pending.resolve([]);
    } catch (thrown) {
      pending.reject(thrown);
    }
  }

  /** A database without the number before this one is not the one that was written to: it lost its end in a failover. */
  async function drop({ pending, held, planned }: Taken, lost: boolean): Promise<void> {
    const { session } = held;
    const first = planned.rows[0]?.record.seq ?? 0;
    if (lost) {
      await options.lost(session, first - 1).catch(report);
      report(
        new Error(
          `the database has lost events of session ${session} before number ${first}: the session is read again`,
        ),
      );
    }
    pending.reject(lose(held));
  }

  function lose(held: Held): ParleyError {
    held.stale = true;
    options.fenced();
    return fenced(held.session);
  }

  return {
    append,
    /** Resolves when all that waits has been stored or refused. */
    async idle(): Promise<void> {
      await working;
    },
  };
}

/** Whether the server refused what it was given: bad data (22), a bound (54). The same statement can never succeed. */
function isOwnFault(thrown: unknown): boolean {
  return /^(22|54)/.test(sqlStateOf(thrown) ?? "");
}

function unstorable(session: string, thrown: unknown): ParleyError {
  const why = isParleyError(thrown) ? thrown.message : String(thrown);
  return new ParleyError("invalid", `expected events that the database can hold: ${why}`, { session }, thrown);
}

/** A repeat that could not be looked up says nothing about the events. */
function doubtful(thrown: unknown): unknown {
  if (!isParleyError(thrown) || thrown.code !== "unavailable") return thrown;
  return new ParleyError("outcome_unknown", thrown.message, thrown.details, thrown);
}
