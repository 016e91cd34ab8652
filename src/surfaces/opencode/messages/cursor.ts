import { z } from "zod";
import { badRequest } from "../errors.ts";
import type { History } from "./history.ts";
import type { Placed } from "./turn-messages.ts";

/** OpenCode's form of a cursor, with the place of the message: some messages cannot be looked up by their id. */
const shape = z.object({ id: z.string(), time: z.number(), seq: z.number().int().positive().optional() });

export function encodeCursor({ seq, message: { info } }: Placed): string {
  return Buffer.from(JSON.stringify({ id: info.id, time: info.time.created, seq })).toString("base64url");
}

/** The place that a cursor stands for. */
export async function decodeCursor(history: History, session: string, text: string): Promise<number> {
  const wrong = badRequest("expected `before` to be the x-next-cursor of an earlier page", "Query");
  let cursor: z.output<typeof shape>;
  try {
    cursor = shape.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    throw wrong;
  }
  const place = cursor.seq ?? (await history.placeOf(session, cursor.id));
  if (place === undefined) throw wrong;
  return place;
}
