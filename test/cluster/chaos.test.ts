import assert from "node:assert/strict";
import { test } from "node:test";
import { needsPostgres } from "../support/postgres.ts";
import { Random, seedOf } from "../support/random.ts";
import { HARD } from "../support/time.ts";
import { FAULTS } from "./chaos/faults.ts";
import { newerSchema, otherVersion } from "./chaos/later-faults.ts";
import { faultsFor } from "./chaos/plan.ts";
import { runChaos } from "./chaos/run.ts";

const seed = seedOf();
const LEASE_MS = 2_000;
/** Faults begin for so long: with the start and the end it is half a minute. */
const FAULTS_MS = HARD ? 180_000 : 12_000;
/** Limits on time are for a quiet machine. */
const limits = HARD ? { openMs: LEASE_MS + 5_000, agentMs: 5_000 } : { openMs: 60_000, agentMs: 60_000 };

test(`three nodes lose nothing, whatever happens (PARLEY_SEED=${seed})`, needsPostgres, async (t) => {
  const faults = faultsFor([], [...FAULTS, otherVersion, newerSchema], new Random(seed), FAULTS_MS);
  const report = await runChaos({ seed, leaseMs: LEASE_MS, faults, clients: 3, limits });
  t.diagnostic(JSON.stringify({ ...report.counts, ...report.figures }));
  assert.deepEqual(report.violations.slice(0, 20), [], `PARLEY_SEED=${seed}\n${report.stderr}`);
});
