import { present } from "../../../core/json/fields.ts";
import { revertOf } from "../../../core/ledger/revert.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { shownSession } from "../sessions/shown-session.ts";
import { revertState } from "./next/revert-state.ts";

/** A session as the newer half of the API shows it. */
export function sessionInfo(state: SessionState): object {
  const { id, parentID, projectID, agent, model, cost, tokens, time, title, directory } = shownSession(state);
  const reverted = revertOf(state.meta);
  const revert = reverted && revertState(reverted);
  const { created, updated, archived } = time;
  const times = present({ created, updated, archived });
  const location = { directory };
  return present({ id, parentID, projectID, agent, model, cost, tokens, time: times, title, location, revert });
}
