import { type Fields, fieldsIn, isFields, textIn } from "../../../core/json/fields.ts";
import type { Api } from "../api.ts";

const PAGE = 50;

/** The messages of a session after one of them, oldest first; all of them after an empty id. */
export async function messagesAfter(api: Api, session: string, after: string): Promise<Fields[]> {
  const path = `/session/${encodeURIComponent(session)}/message`;
  const found: Fields[] = [];
  let before: string | undefined;
  for (;;) {
    const { value, next } = await api.page("GET", path, { query: { limit: PAGE, before } });
    const page = Array.isArray(value) ? value.filter(isFields) : [];
    const news = page.filter((one) => (textIn(fieldsIn(one, "info"), "id") ?? "") > after);
    found.unshift(...news);
    // The program's own messages are in the order of their ids; those of Parley may have a late clock's.
    const isReached = page.some((one) => fieldsIn(one, "info").role === "assistant" && !news.includes(one));
    if (next === undefined || isReached || page.length === 0 || next === before) return found;
    before = next;
  }
}
