import type { Surface } from "./context.ts";
import { healthOperations } from "./health-operations.ts";
import type { Operation } from "./operation.ts";
import { ptyOperations } from "./pty-operations.ts";

/** Every operation of OpenCode's API, as far as it means something here. */
export function operations(surface: Surface): Operation[] {
  return [...healthOperations(surface), ...ptyOperations(surface)];
}
