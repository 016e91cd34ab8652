import { present } from "../core/json/fields.ts";
import type { SessionState } from "../core/session-state.ts";
import type { Log } from "../log/contract.ts";
import type { PendingAsk } from "./requests.ts";

/** Ids sort oldest first behind their kinds. */
const PREFIXED = "per_".length;

/** The open asks of a session and its sub-agents, or of all sessions, oldest first. Any process can tell them: they are in the log. */
export async function pendingAsks(log: Log, id?: string): Promise<PendingAsk[]> {
  const asking = (await log.unsettled()).filter(({ asks }) => asks.length > 0);
  const meant = await Promise.all(asking.map((state) => id === undefined || isBelow(log, state, id)));
  return asking
    .filter((_, at) => meant[at])
    .flatMap(({ id: session, asks, title, agent, directory, root }) => {
      const about = present({ title, agent, directory, root });
      return asks.map((ask) => ({ ...ask, session, about }));
    })
    .sort((a, b) => a.time - b.time || (a.id.slice(PREFIXED) < b.id.slice(PREFIXED) ? -1 : 1));
}

/** Whether a session is another one, or that of a sub-agent of it, however deep. */
async function isBelow(log: Log, { id, root, parent }: SessionState, other: string): Promise<boolean> {
  if (id === other || root === other) return true;
  const above = parent === undefined || parent === root ? undefined : await log.head(parent);
  return above !== undefined && isBelow(log, above.state, other);
}
