import type { Log } from "../../../log/contract.ts";

const PAGE = 1_000;

/** The sessions of which so many of the log's newest records speak, the latest last. */
export async function recentSessions(log: Log, records: number, limit: number): Promise<string[]> {
  const seen = new Set<string>();
  let before = Number.MAX_SAFE_INTEGER;
  for (let left = records; left > 0 && seen.size < limit; left -= PAGE) {
    const page = await log.readAllBack({ before, limit: Math.min(PAGE, left) });
    for (const { session } of page.toReversed()) seen.add(session);
    before = page[0]?.position ?? 0;
  }
  return [...seen].slice(0, limit).reverse();
}
