import type { SessionView } from "../projection/session-view.ts";
import type { OpencodeEvent } from "../shapes/event.ts";
import type { Place } from "./batch.ts";
import type { Projector } from "./projector.ts";

/** The sessions of a snapshot: a client that shows sessions is told of idle ones, too. */
export type SnapshotScope = "working" | "recent";

/**
 * The events that a client needs to be right again after it was away, all as events that may come twice: the session, the last
 * turns' messages and parts, whether it works, what it asks, and what is no longer asked or shown. `session.idle` is not among
 * them, because clients ring a bell for it.
 */
function snapshotOf(view: SessionView, newId: () => string): OpencodeEvent[] {
  const event = (type: string, properties: object): OpencodeEvent => ({
    id: newId(),
    type,
    properties: properties as Record<string, unknown>,
  });
  const { permissions, questions } = view.asks();
  const info = view.session();
  const sessionID = info.id;
  return [
    event("session.updated", { sessionID, info }),
    ...view
      .messages()
      .flatMap(({ info: message, parts }) => [
        event("message.updated", { sessionID, info: message }),
        ...parts.map((part) => event("message.part.updated", { sessionID, part, time: message.time.created })),
      ]),
    event("todo.updated", { sessionID, todos: view.todos() }),
    ...view.settled().map(({ type, properties }) => event(type, properties)),
    ...permissions.map((request) => event("permission.asked", request)),
    ...questions.map((request) => event("question.asked", request)),
    event("session.status", { sessionID, status: view.status() }),
  ];
}

/** An event, and where it happened. */
export interface Told {
  place: Place;
  event: OpencodeEvent;
}

/** `/event` is read by programs that take an idle session for the end of what they asked, so they hear of work only. */
function isInScope(view: SessionView, scope: SnapshotScope): boolean {
  return scope === "recent" || !view.resting;
}

/** All that a client without a cursor is told: what is gone, then how those stand that are there. */
export function stateOfThings(
  projector: Pick<Projector, "views" | "gone">,
  scope: SnapshotScope,
  { projectOf, newId }: { projectOf(directory: string): string; newId(): string },
): Told[] {
  const gone = scope === "recent" ? projector.gone() : [];
  const told: Told[] = gone.map(({ place, event }) => ({ place, event: { ...event, id: newId() } as OpencodeEvent }));
  for (const view of projector.views()) {
    if (!isInScope(view, scope)) continue;
    const { directory } = view;
    const place = { directory, project: projectOf(directory) };
    for (const event of snapshotOf(view, newId)) told.push({ place, event });
  }
  return told;
}
