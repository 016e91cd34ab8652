import { askOperations } from "./ask-operations.ts";
import { catalogOperations } from "./catalog-operations.ts";
import type { Surface } from "./context.ts";
import { docOperations } from "./doc-operations.ts";
import { eventOperations } from "./event-operations.ts";
import { fileOperations } from "./file-operations.ts";
import { findOperations } from "./find-operations.ts";
import { globalSessionOperations } from "./global-session-operations.ts";
import { healthOperations } from "./health-operations.ts";
import { logOperations } from "./log-operations.ts";
import { messageOperations } from "./message-operations.ts";
import type { Operation } from "./operation.ts";
import { projectOperations } from "./project-operations.ts";
import { ptyOperations } from "./pty-operations.ts";
import { remainingOperations } from "./remaining-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { tuiOperations } from "./tui-operations.ts";
import { turnOperations } from "./turn-operations.ts";
import { v2AskOperations } from "./v2-ask-operations.ts";
import { v2Operations } from "./v2-operations.ts";
import { v2SessionOperations } from "./v2-session-operations.ts";
import { vcsOperations } from "./vcs-operations.ts";

/** Every operation of OpenCode's API, as far as it means something here. */
export function operations(surface: Surface): Operation[] {
  const all = [
    ...healthOperations(surface),
    ...eventOperations(surface),
    ...catalogOperations(surface),
    ...sessionOperations(surface),
    ...messageOperations(surface),
    ...askOperations(surface),
    ...turnOperations(surface),
    ...projectOperations(surface),
    ...fileOperations(surface),
    ...findOperations(surface),
    ...vcsOperations(surface),
    ...logOperations(surface),
    ...ptyOperations(surface),
    ...tuiOperations(surface),
    ...globalSessionOperations(surface),
    ...remainingOperations(surface),
    ...v2Operations(surface),
    ...v2SessionOperations(surface),
    ...v2AskOperations(surface),
  ];
  return [...all, ...docOperations(surface, all)];
}
