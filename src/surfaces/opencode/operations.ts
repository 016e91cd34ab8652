import type { Surface } from "./context.ts";
import { eventOperations } from "./event-operations.ts";
import { healthOperations } from "./health-operations.ts";
import type { Operation } from "./operation.ts";

/** Every operation of OpenCode's API, as far as it means something here. */
export function operations(surface: Surface): Operation[] {
  return [...healthOperations(surface), ...eventOperations(surface)];
}
