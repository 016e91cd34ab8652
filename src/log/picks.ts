import type { ParleyEvent } from "../core/events/event.ts";
import type { EventRecord } from "./contract.ts";

/** The text by which the items of users are found. It may be in other items, too. */
export const USER_MARK = '"role":"user"';

const TOLD: ReadonlySet<string> = new Set(["session.updated", "turn.ended"]);
const OF_USERS: ReadonlySet<string> = new Set(["item.started", "item.completed"]);

/** Whether `Log.told` gives an event. */
export function isTold({ type, json }: EventRecord): boolean {
  return TOLD.has(type) || (OF_USERS.has(type) && json.includes(USER_MARK));
}

/** The same by the event itself. */
export function tellsAll(event: ParleyEvent): boolean {
  if (event.type !== "item.started" && event.type !== "item.completed") return TOLD.has(event.type);
  const { item } = event.data;
  return item.kind === "message" && item.role === "user";
}
