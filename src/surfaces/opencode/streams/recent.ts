import type { Log } from "../../../log/contract.ts";

const PAGE = 1_000;

/** The sessions of which the log's newest records speak, the latest last. */
export async function recentSessions(log: Log, records: number, limit: number): Promise<string[]> {
  const last = await log.position();
  const seen = new Map<string, true>();
  for (let after = Math.max(0, last - records); ; ) {
    const page = await log.readAll({ after, limit: PAGE });
    for (const { session } of page) {
      seen.delete(session);
      seen.set(session, true);
    }
    if (page.length < PAGE) break;
    after = page.at(-1)?.position ?? last;
  }
  return [...seen.keys()].slice(-limit);
}
