import { test } from "node:test";
import { onLinux } from "../../src/host/process-identity.ts";
import { runSoak } from "../scenarios/soak.ts";
import { seedOf } from "../support/random.ts";

// Two hours show a slope of 1 MB an hour; a few minutes show only what grows with each turn or each lost connection.
const minutes = Number(process.env.PARLEY_SOAK_MINUTES ?? 6);

test(
  `${minutes} minutes of 50 sessions with 5 streams each that keep breaking: memory and descriptors stay flat`,
  {
    skip: !onLinux && "needs /proc",
    timeout: (minutes + 5) * 60_000,
  },
  (t) => runSoak(t, { minutes, sessions: 50, clients: 5, seed: seedOf() }),
);
