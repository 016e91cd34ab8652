import { type Fields, fieldsIn, isFields, listIn, textIn } from "../../core/json/fields.ts";
import type { Api } from "./api.ts";

const LOOKED_AT = 20;

/**
 * The messages of a compaction that did not come to its end. The program would take it up again with the next prompt, and not answer that one. Newest first, as they
 * are to be removed.
 */
export function unfinishedCompaction(messages: readonly Fields[]): string[] {
  const asks = messages.findLast((message) => listIn(message, "parts").some((part) => part.type === "compaction"));
  const id = textIn(fieldsIn(asks ?? {}, "info"), "id");
  if (id === undefined) return [];
  const replies = messages.map((message) => fieldsIn(message, "info")).filter((info) => info.parentID === id);
  const isDone = replies.some((info) => info.summary === true && textIn(info, "finish") && !isFields(info.error));
  return isDone ? [] : [...replies.flatMap((info) => textIn(info, "id") ?? []).toReversed(), id];
}

/** Removes what a compaction that failed or was stopped has left in a session. */
export async function tidy(api: Api, session: string): Promise<void> {
  const path = `/session/${encodeURIComponent(session)}/message`;
  const messages = await api.list("GET", path, { query: { limit: LOOKED_AT } }).catch(() => []);
  for (const id of unfinishedCompaction(messages)) {
    await api.ask("DELETE", `${path}/${encodeURIComponent(id)}`).catch(() => {});
  }
}
