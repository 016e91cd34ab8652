import { askOperations } from "./ask-operations.ts";
import { catalogOperations } from "./catalog-operations.ts";
import type { Surface } from "./context.ts";
import { fileOperations } from "./file-operations.ts";
import { findOperations } from "./find-operations.ts";
import { healthOperations } from "./health-operations.ts";
import { messageOperations } from "./message-operations.ts";
import type { Operation } from "./operation.ts";
import { projectOperations } from "./project-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { vcsOperations } from "./vcs-operations.ts";

/** Every operation of OpenCode's API, as far as it means something here. */
export function operations(surface: Surface): Operation[] {
  return [
    ...healthOperations(surface),
    ...catalogOperations(surface),
    ...sessionOperations(surface),
    ...messageOperations(surface),
    ...askOperations(surface),
    ...projectOperations(surface),
    ...fileOperations(surface),
    ...findOperations(surface),
    ...vcsOperations(surface),
  ];
}
