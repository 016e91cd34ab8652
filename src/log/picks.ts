import type { EventRecord, PickQuery } from "./contract.ts";

/** The text by which the items of users are found. It may be in other items, too. */
export const USER_MARK = '"role":"user"';

/** Whether a query asks for an event. */
export function isPicked({ type, json }: EventRecord, { types, users = false }: PickQuery): boolean {
  if ((types as readonly string[]).includes(type)) return true;
  return users && (type === "item.started" || type === "item.completed") && json.includes(USER_MARK);
}
