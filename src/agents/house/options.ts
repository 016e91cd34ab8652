import type { CommandHost } from "../../host/contract.ts";
import type { Models } from "./model/models.ts";
import type { RetryPolicy } from "./model/retry.ts";
import type { Tool } from "./tools/tool.ts";

export interface HouseOptions {
  host: CommandHost;
  models: Models;
  /** The tools that ship, unless told. */
  tools?: readonly Tool[];
  retry?: RetryPolicy;
  /** How long a model may be silent before its call counts as cut off. */
  stallMs?: number;
  /** Model round trips in a turn. */
  maxSteps?: number;
}
