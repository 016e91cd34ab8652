/** Examines and repairs the log of a data directory, for the engine that `data-log.ts` chooses. */
export { type Examined, examineDirectory } from "./sqlite/examine.ts";
export { type LogRepair, nothingToRepair, repairDirectory } from "./sqlite/repair.ts";
export { showRanges } from "./sqlite/salvage/plan.ts";
export { type ExaminedIndex, examineIndex } from "./sqlite/search/examine.ts";
