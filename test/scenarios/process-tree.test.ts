import { PATIENCE_MS } from "../support/time.ts";
import { processTrees } from "./process-tree.ts";

// The limits that mean something are in test/hard, for a machine that does nothing else.
processTrees({ ladder: PATIENCE_MS, end: PATIENCE_MS });
