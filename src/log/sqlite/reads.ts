import type { DatabaseSync } from "node:sqlite";
import { readState } from "./checksum.ts";
import type { Damage } from "./damage.ts";
import { createEventReads } from "./event-reads.ts";
import { createHeads, type Rebuild } from "./heads.ts";
import { rebuildState } from "./rebuild-state.ts";
import { createSessionReads } from "./session-reads.ts";
import { createSpentReads } from "./spent.ts";
import { prepare } from "./statement.ts";

/** How many sessions' states are kept in memory. */
const CACHED_HEADS = 256;

export type Reads = ReturnType<typeof createReads>;

/** The reads of a database that has the newest schema. */
export function createReads(database: DatabaseSync, damage: Damage) {
  const events = createEventReads(database, damage);
  const storedBase = prepare<[string], { base: unknown }>(database, "SELECT base FROM sessions WHERE id = ?");
  const rebuild: Rebuild = (session) => {
    damage.metState(session);
    const base = readState(session, storedBase.get(session)?.base);
    return rebuildState((query) => events.read(session, query), base);
  };
  return {
    events,
    heads: createHeads(database, CACHED_HEADS, rebuild),
    sessions: createSessionReads(database, rebuild),
    spent: createSpentReads(database),
  };
}
