import { parseArgs } from "node:util";
import { runCrowd } from "../test/cluster/chaos/crowd.ts";
import { FAULTS, type Fault } from "../test/cluster/chaos/faults.ts";
import { LONG_FAULTS, newerSchema, otherVersion, promoteReplica } from "../test/cluster/chaos/later-faults.ts";
import { Deck } from "../test/cluster/chaos/plan.ts";
import type { Violation } from "../test/cluster/chaos/records.ts";
import { type ChaosReport, runChaos } from "../test/cluster/chaos/run.ts";
import { needsPostgres } from "../test/support/postgres.ts";
import { Random, seedOf } from "../test/support/random.ts";

// `npm run chaos -- --minutes N --seed S`: three nodes on one PostgreSQL, one of them through pgbouncer, clients, and faults by
// chance: each kind once before any comes again, and from ten minutes on every kind, however long that takes. A round has a seed
// of its own, so that what it finds can be repeated with `--seed <that> --faults "<its faults>"`; `--lease` is the length of
// leases in seconds. Limits on time are for a quiet machine: `--busy` makes them wide.
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(seedOf()) },
    lease: { type: "string", default: "2" },
    faults: { type: "string" },
    busy: { type: "boolean", default: false },
    crowd: { type: "boolean", default: false },
    "no-crowd": { type: "boolean", default: false },
  },
});

/** The longest that one round's faults go on. */
const ROUND_MS = 150_000;
/** Runs of so many minutes have every kind of fault; shorter ones leave out those that take a minute each. */
const WHOLE_MINUTES = 10;
/** One round in so many loses the end of the database. */
const LOSSY_EVERY = 5;
const POLICIES = ["wait", "deny", "allow"] as const;
/** The lease of nodes that are told nothing: figures are for it. */
const USUAL_LEASE_MS = 10_000;

const seed = Number(values.seed);
const leaseMs = Number(values.lease) * 1_000;
const whole = Number(values.minutes) >= WHOLE_MINUTES;
const kinds = [...FAULTS, otherVersion, newerSchema, ...(whole ? LONG_FAULTS : [])];
const deck = new Deck(kinds, new Random(seed));
const until = performance.now() + Number(values.minutes) * 60_000;
const totals: Record<string, number> = {};
const figures: Record<string, number[]> = {};
let broken = 0;

function say(line: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
}

function tellBroken(round: number, violations: readonly Violation[], stderr = ""): void {
  broken += violations.length;
  for (const { rule, message } of violations.slice(0, 50)) say(`VIOLATION (--seed ${round}) ${rule}: ${message}`);
  if (violations.length > 0) say(stderr);
}

function add({ counts, figures: measured }: ChaosReport): void {
  for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count;
  for (const [name, list] of Object.entries(measured)) figures[name] = [...(figures[name] ?? []), ...list];
}

function limitsOf(lease: number) {
  return values.busy ? { openMs: 120_000, agentMs: 60_000 } : { openMs: lease + 5_000, agentMs: 5_000 };
}

async function crowd(): Promise<void> {
  say("1,000 sessions, and 50 open turns of a node that is killed");
  const limits = limitsOf(USUAL_LEASE_MS);
  const report = await runCrowd({ seed, leaseMs: USUAL_LEASE_MS, sessions: 1_000, turns: 50, limits });
  tellBroken(seed, report.violations);
  say(
    `50 turns of a killed node were closed by others within ${Math.round(report.closedMs)} ms (lease 10 s, goal 15,000 ms)`,
  );
  say(
    `its next start had its port open after ${Math.round(report.restartMs)} ms, with ${report.leftOpen} turns left open`,
  );
}

/** Faults that were asked for by their names, with semicolons between them: some names have commas. */
function namedFaults(names: string): Fault[] {
  return names.split(";").map((name) => {
    const found = [...kinds, ...LONG_FAULTS, promoteReplica].find((fault) => fault.name === name.trim());
    if (!found) throw new Error(`expected the name of a fault, got "${name}"`);
    return found;
  });
}

async function round(number: number, ms: number): Promise<void> {
  // A failover loses what was acknowledged: it has rounds of its own, with fewer rules.
  const lossy = values.faults === undefined ? number % LOSSY_EVERY === 1 : values.faults === promoteReplica.name;
  const named = values.faults === undefined ? undefined : namedFaults(values.faults);
  const faults = named ?? (lossy ? [promoteReplica] : deck.draw(ms));
  const unattended = POLICIES[number % POLICIES.length];
  say(`round with --seed ${number}, asks without a client: ${unattended}${lossy ? ", loses the database's end" : ""}`);
  const options = { seed: number, leaseMs, faults, unattended, lossy, clients: 5, limits: limitsOf(leaseMs) };
  try {
    const report = await runChaos({ ...options, tell: (line) => say(`  ${line}`) });
    tellBroken(number, report.violations, report.stderr);
    add(report);
  } catch (error) {
    tellBroken(number, [{ rule: "run", message: String(error instanceof Error ? error.message : error) }]);
  }
}

if (needsPostgres.skip) {
  console.error(`parley: ${needsPostgres.skip}`);
  process.exit(2);
}
say(`chaos with --minutes ${values.minutes} --seed ${seed} --lease ${values.lease}`);
if (!values["no-crowd"]) await crowd().catch((error) => tellBroken(seed, [{ rule: "run", message: String(error) }]));
const goesOn = (): boolean => performance.now() < until || (whole && deck.undrawn().length > 0);
for (let number = seed; goesOn() && !values.crowd; number++) {
  await round(number, Math.min(ROUND_MS, Math.max(until - performance.now(), 1)));
  if (values.faults !== undefined) break;
}
const undrawn = deck.undrawn();
if (undrawn.length > 0) say(`not drawn: ${undrawn.join(", ")}`);
for (const [name, count] of Object.entries(totals).sort()) say(`${String(count).padStart(8)} ${name}`);
for (const [name, list] of Object.entries(figures)) {
  const sorted = list.toSorted((a, b) => a - b);
  say(`${name}: median ${sorted[Math.floor(sorted.length / 2)]}, most ${sorted.at(-1)}, of ${sorted.length}`);
}
say(broken === 0 ? "nothing is wrong" : `${broken} violations`);
process.exit(broken === 0 ? 0 : 1);
