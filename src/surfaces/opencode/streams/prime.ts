import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Log } from "../../../log/contract.ts";
import { SessionView } from "../projection/session-view.ts";

const PAGE = 512;

/**
 * A view of a session as it was right before one of its events: it has seen the turn that was open then, or the last
 * one. Undefined for a session that the log has forgotten.
 */
export async function primedView(
  log: Log,
  session: string,
  before: number,
  projectOf: (directory: string) => string,
): Promise<SessionView | undefined> {
  const head = await log.head(session);
  if (!head) return undefined;
  const view = new SessionView(head.state, { projectOf, asOf: head.last, newestTurnOnly: true });
  const start = await log.turnStart(session, before);
  if (start === undefined) return view;
  for (let after = start - 1; ; ) {
    const records = await log.read(session, { after, limit: PAGE });
    for (const record of records) {
      if (record.seq >= before) return view;
      view.apply(JSON.parse(record.json) as ParleyEvent);
    }
    if (records.length < PAGE) return view;
    after = records.at(-1)?.seq ?? before;
  }
}
