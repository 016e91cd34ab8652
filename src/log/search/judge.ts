import type { ParleyEvent } from "../../core/events/event.ts";
import { isCut } from "../../core/history/cuts.ts";
import { present } from "../../core/json/fields.ts";
import { match, snippetOf } from "../../core/search/match.ts";
import { FINDABLE_TYPES, findable } from "../../core/search/text.ts";
import type { PlacedRecord, SessionHead } from "../contract.ts";
import type { SearchHit, SearchQuery } from "./contract.ts";

export type HeadOf = (session: string) => SessionHead | undefined | Promise<SessionHead | undefined>;

/** An event's verdict, and how many characters were looked at for it. */
export interface Judged {
  hit?: SearchHit;
  weight: number;
}

/**
 * Decides whether a record is a hit. An index only narrows down what is judged, so every engine finds the same. Turns that
 * were cut are not found, nor titles that a session no longer has.
 */
export async function judge(record: PlacedRecord, query: SearchQuery, headOf: HeadOf): Promise<Judged> {
  if (!FINDABLE_TYPES.has(record.type)) return { weight: 0 };
  const event = JSON.parse(record.json) as ParleyEvent;
  const weight = record.json.length;
  const found = findable(event);
  if (!found || (query.kind !== undefined && found.kind !== query.kind)) return { weight };
  const hits = match(query.sought, found.text);
  if (!hits) return { weight };
  const { session, seq, position } = record;
  const head = await headOf(session);
  if (!head || seq < head.first || isCut(head.state.cuts, seq)) return { weight };
  const { title, agent, directory, root } = head.state;
  if (found.kind === "title" && title !== found.text) return { weight };
  if (query.directory !== undefined && directory !== query.directory) return { weight };
  if (query.agent !== undefined && agent !== query.agent) return { weight };
  if (query.session !== undefined && !(await isBelow(session, query.session, headOf))) return { weight };
  const { kind, role, item, text } = found;
  const { turn, time } = event;
  const place = { session, seq, position, kind, time, agent, directory };
  return { hit: { ...place, ...present({ turn, item, role, title, root }), snippet: snippetOf(text, hits) }, weight };
}

/** Sub-agents of sub-agents: more would be a ring, which only damage can make. */
const DEEPEST = 64;

async function isBelow(session: string, above: string, headOf: HeadOf): Promise<boolean> {
  let at: string | undefined = session;
  for (let depth = 0; at !== undefined && depth < DEEPEST; depth++) {
    if (at === above) return true;
    const head: SessionHead | undefined = await headOf(at);
    if (head?.state.root === above) return true;
    at = head?.state.parent;
  }
  return false;
}
