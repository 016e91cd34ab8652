import type { SessionState } from "../../../core/session-state.ts";
import { sessionOf } from "../projection/session-shape.ts";
import type { Session } from "../shapes/session.ts";
import { projectOf } from "../workspace/project.ts";

/** A session as the older half of the API shows it. */
export function shownSession(state: SessionState): Session {
  return sessionOf(state, { projectOf: (directory) => projectOf(directory).id });
}
