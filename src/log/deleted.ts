import { ParleyError } from "../core/errors.ts";
import type { ParleyEvent } from "../core/events/event.ts";
import type { SessionState } from "../core/session-state.ts";

/** Refuses to forget a session whose last event does not say that it was deleted. The event is undefined where it is damaged. */
export function assertDeleted(session: string, last: ParleyEvent | undefined, state: SessionState): void {
  if (!last && state.ended?.reason === "deleted") return;
  if (last?.type === "session.ended" && last.data.reason === "deleted") return;
  const message = `expected session.ended with the reason "deleted" as the last event of ${session}, got ${last?.type}: append it first`;
  throw new ParleyError("invalid", message, { session });
}
