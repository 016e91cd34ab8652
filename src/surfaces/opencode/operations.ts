import type { Surface } from "./context.ts";
import { healthOperations } from "./health-operations.ts";
import { logOperations } from "./log-operations.ts";
import type { Operation } from "./operation.ts";
import { ptyOperations } from "./pty-operations.ts";
import { tuiOperations } from "./tui-operations.ts";

/** Every operation of OpenCode's API, as far as it means something here. */
export function operations(surface: Surface): Operation[] {
  return [
    ...healthOperations(surface),
    ...logOperations(surface),
    ...ptyOperations(surface),
    ...tuiOperations(surface),
  ];
}
