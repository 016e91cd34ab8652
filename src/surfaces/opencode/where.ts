import type { Operation } from "./operation.ts";

/**
 * The process that answers an operation, where several share the log:
 *  - `any`: each of them, from the log;
 *  - `owner`: the owner of the session in the path. An answer to an ask goes to the owner of the session that asked, which the gateway finds;
 *  - `place`: a node that has the directory;
 *  - `keeper`: the one node of the directory's place that has it in memory.
 */
export type Where = "any" | "owner" | "place" | "keeper";

/** Lists and streams of the log, and operations about the server itself. */
const ANY: ReadonlySet<string> = new Set([
  ...["doc", "app.log", "global.health", "v2.health.get", "instance.dispose", "global.dispose"],
  ...["event.subscribe", "global.event", "v2.event.subscribe"],
  ...["session.list", "session.status", "experimental.session.list", "v2.session.list", "v2.session.active"],
  ...["permission.list", "question.list", "v2.permission.request.list", "v2.question.request.list"],
  ...["permission.reply", "question.reply", "question.reject"],
  // Waits by the log.
  "v2.session.wait",
]);

/** Terminals, requests to user interfaces that wait to be fetched, and linked checkouts, which lie in the data directory of one node. */
const KEPT = /^(?:v2\.)?(?:pty|tui|worktree|projectCopy)\.|^experimental\.projectCopy\./;

export function whereOf({ id, method, path, support }: Pick<Operation, "id" | "method" | "path" | "support">): Where {
  if (support !== "real" || ANY.has(id)) return "any";
  if (path.includes("{sessionID}")) return method === "get" ? "any" : "owner";
  return KEPT.test(id) ? "keeper" : "place";
}
