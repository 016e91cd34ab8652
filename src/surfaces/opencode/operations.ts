import { askOperations } from "./asks/operations.ts";
import { catalogOperations } from "./catalog/operations.ts";
import type { Surface } from "./context.ts";
import { docOperations } from "./doc-operations.ts";
import { mcpOperations } from "./mcp/operations.ts";
import { messageOperations } from "./messages/operations.ts";
import { notServedOperations } from "./not-served/operations.ts";
import type { Operation } from "./operation.ts";
import { turnOperations } from "./prompts/turn-operations.ts";
import { ptyOperations } from "./pty/operations.ts";
import { serverOperations } from "./server-operations.ts";
import { globalSessionOperations } from "./sessions/global-operations.ts";
import { sessionOperations } from "./sessions/operations.ts";
import { eventOperations } from "./streams/operations.ts";
import { tuiOperations } from "./tui/operations.ts";
import { v2AskOperations } from "./v2/ask-operations.ts";
import { v2MessageOperations } from "./v2/message-operations.ts";
import { v2Operations } from "./v2/operations.ts";
import { v2RevertOperations } from "./v2/revert-operations.ts";
import { v2SessionOperations } from "./v2/session-operations.ts";
import { fileOperations } from "./workspace/file-operations.ts";
import { findOperations } from "./workspace/find-operations.ts";
import { projectOperations } from "./workspace/project-operations.ts";
import { vcsOperations } from "./workspace/vcs-operations.ts";
import { worktreeOperations } from "./worktrees/operations.ts";

/** Every operation of OpenCode's API, as far as it means something here. */
export function operations(surface: Surface): Operation[] {
  const all = [
    ...serverOperations(surface),
    ...eventOperations(surface),
    ...catalogOperations(surface),
    ...sessionOperations(surface),
    ...globalSessionOperations(surface),
    ...messageOperations(surface),
    ...askOperations(surface),
    ...turnOperations(surface),
    ...mcpOperations(surface),
    ...projectOperations(surface),
    ...worktreeOperations(surface),
    ...fileOperations(surface),
    ...findOperations(surface),
    ...vcsOperations(surface),
    ...ptyOperations(surface),
    ...tuiOperations(surface),
    ...v2Operations(surface),
    ...v2SessionOperations(surface),
    ...v2MessageOperations(surface),
    ...v2RevertOperations(surface),
    ...v2AskOperations(surface),
    ...notServedOperations(surface),
  ];
  return [...all, ...docOperations(surface, all)];
}
