import { processTrees } from "../scenarios/process-tree.ts";

processTrees({ ladder: 6_500, end: 5_000 });
