import type { BriefMeasurement, Measurement } from "./harness/figure.ts";
import { acp } from "./measurements/acp.ts";
import { bundle } from "./measurements/bundle.ts";
import { codex } from "./measurements/codex.ts";
import { console } from "./measurements/console.ts";
import { fanOut } from "./measurements/fan-out.ts";
import { frozen } from "./measurements/frozen.ts";
import { history } from "./measurements/history.ts";
import { latency } from "./measurements/latency.ts";
import { memory } from "./measurements/memory.ts";
import { nodes } from "./measurements/nodes.ts";
import { opencode } from "./measurements/opencode.ts";
import { opencodeAgent } from "./measurements/opencode-agent.ts";
import { pages } from "./measurements/pages.ts";
import { postgres } from "./measurements/postgres.ts";
import { restart } from "./measurements/restart.ts";
import { start } from "./measurements/start.ts";
import { throughput } from "./measurements/throughput.ts";

/** All measurements, in the order in which they are run and shown. */
export const measurements: readonly Measurement[] = [
  start,
  memory,
  latency,
  throughput,
  fanOut,
  frozen,
  history,
  pages,
  restart,
  postgres,
  nodes,
  opencode,
  opencodeAgent,
  codex,
  acp,
  console,
  bundle,
];

/** Those for `--brief`: what a change makes worse most easily, in less than a minute. */
export const briefly: readonly BriefMeasurement[] = [start, memory, latency, bundle];
