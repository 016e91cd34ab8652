import { processTrees } from "./process-tree.ts";

// Far more than it takes: test/hard holds the figures, on a machine that does nothing else.
processTrees({ ladder: 30_000, end: 30_000 });
