import type { Projected } from "../projection/outbox.ts";
import type { OpencodeEvent } from "../shapes/event.ts";

/** `1.1` is how clients before 1.2 heard of streamed text. */
export type Dialect = "1.18" | "1.1";

export function dialectOf(text: string | undefined): Dialect {
  return text === "1.1" ? "1.1" : "1.18";
}

/** In the older dialect a delta comes with the whole part so far. */
export function inDialect({ event, part }: Projected, dialect: Dialect): OpencodeEvent {
  if (dialect === "1.18" || event.type !== "message.part.delta" || !part) return event;
  const { delta } = event.properties;
  return { id: event.id, type: "message.part.updated", properties: { part, delta } };
}
