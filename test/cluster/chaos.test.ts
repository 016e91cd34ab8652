import assert from "node:assert/strict";
import { test } from "node:test";
import { needsPostgres } from "../support/postgres.ts";
import { seedOf } from "../support/random.ts";
import { HARD } from "../support/time.ts";
import { FAULTS } from "./chaos/faults.ts";
import { runChaos } from "./chaos/run.ts";

const seed = seedOf();
const LEASE_MS = 2_000;
/** Limits on time are for a quiet machine. */
const limits = HARD ? { openMs: LEASE_MS + 5_000, agentMs: 5_000 } : { openMs: 60_000, agentMs: 60_000 };

test(`three nodes lose nothing, whatever happens (PARLEY_SEED=${seed})`, needsPostgres, async (t) => {
  const faults = FAULTS.filter(({ long }) => !long);
  const report = await runChaos({
    seed,
    leaseMs: LEASE_MS,
    faults,
    long: false,
    clients: 3,
    limits,
    tell: (line) => process.env.CHAOS_TELL && console.error(new Date().toISOString(), line),
  });
  t.diagnostic(JSON.stringify({ ...report.counts, ...report.figures }));
  assert.deepEqual(report.violations.slice(0, 20), [], `PARLEY_SEED=${seed}\n${report.stderr}`);
});
