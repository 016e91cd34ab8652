import { logContract } from "./contract/suite.ts";
import { memoryPlace } from "./memory-place.ts";

logContract("memory", memoryPlace);
