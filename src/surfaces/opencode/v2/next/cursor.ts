import { z } from "zod";
import { tagged } from "../../errors.ts";
import type { Around, Found } from "./history.ts";

const shape = z.object({
  id: z.string(),
  turn: z.number().int().positive(),
  order: z.enum(["asc", "desc"]),
  direction: z.enum(["previous", "next"]),
});

export type Order = "asc" | "desc";
export type MessageCursor = z.output<typeof shape> & Around;

export function wrongCursor(message: string): Error {
  return tagged(400, "InvalidCursorError", message);
}

/** The cursors around a page: OpenCode's own form, with the turn of the message, by which it is found. */
export function cursorsOf(page: readonly Found[], order: Order): { previous?: string; next?: string } {
  const encode = (found: Found | undefined, direction: "previous" | "next"): string | undefined => {
    if (!found) return undefined;
    const cursor: MessageCursor = { id: found.message.id, turn: found.turn, order, direction };
    return Buffer.from(JSON.stringify(cursor)).toString("base64url");
  };
  const previous = encode(page[0], "previous");
  const next = encode(page.at(-1), "next");
  return previous === undefined || next === undefined ? {} : { previous, next };
}

export function readCursor(text: string): MessageCursor {
  try {
    return shape.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    throw wrongCursor(`expected cursor.next or cursor.previous of an earlier answer, got "${text.slice(0, 60)}"`);
  }
}
