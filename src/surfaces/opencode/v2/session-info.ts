import type { SessionState } from "../../../core/session-state.ts";
import { sessionOf } from "../projection/session-shape.ts";
import { projectOf } from "../workspace/project.ts";

/** A session as the newer half of the API gives it. */
export function sessionInfo2(state: SessionState): object {
  const { id, parentID, projectID, agent, model, cost, tokens, time, title, directory, revert } = sessionOf(state, {
    projectOf: (path) => projectOf(path).id,
  });
  return {
    id,
    ...(parentID === undefined ? {} : { parentID }),
    projectID,
    agent,
    model,
    cost,
    tokens,
    time: {
      created: time.created,
      updated: time.updated,
      ...(time.archived === undefined ? {} : { archived: time.archived }),
    },
    title,
    location: { directory },
    ...(revert ? { revert } : {}),
  };
}
