import { catalogOperations } from "./catalog-operations.ts";
import type { Surface } from "./context.ts";
import { eventOperations } from "./event-operations.ts";
import { fileOperations } from "./file-operations.ts";
import { findOperations } from "./find-operations.ts";
import { healthOperations } from "./health-operations.ts";
import { logOperations } from "./log-operations.ts";
import type { Operation } from "./operation.ts";
import { projectOperations } from "./project-operations.ts";
import { ptyOperations } from "./pty-operations.ts";
import { tuiOperations } from "./tui-operations.ts";
import { vcsOperations } from "./vcs-operations.ts";

/** Every operation of OpenCode's API, as far as it means something here. */
export function operations(surface: Surface): Operation[] {
  return [
    ...healthOperations(surface),
    ...eventOperations(surface),
    ...catalogOperations(surface),
    ...projectOperations(surface),
    ...fileOperations(surface),
    ...findOperations(surface),
    ...vcsOperations(surface),
    ...logOperations(surface),
    ...ptyOperations(surface),
    ...tuiOperations(surface),
  ];
}
