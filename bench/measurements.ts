import type { Measurement } from "./harness/figure.ts";
import { latency } from "./measurements/latency.ts";
import { memory } from "./measurements/memory.ts";
import { start } from "./measurements/start.ts";

/** In the order in which they are run and shown. */
export const measurements: readonly Measurement[] = [start, memory, latency];
