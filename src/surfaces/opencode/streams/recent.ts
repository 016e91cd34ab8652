import type { Log } from "../../../log/contract.ts";

const PAGE = 1_000;

/** The sessions of the log's newest records up to a position, each with its last number there; the latest is last. */
export async function recentSessions(
  log: Log,
  position: number,
  { records, limit }: { records: number; limit: number },
): Promise<[session: string, seq: number][]> {
  const seen = new Map<string, number>();
  let before = position + 1;
  for (let left = records; left > 0 && seen.size < limit; left -= PAGE) {
    const page = await log.readAllBack({ before, limit: Math.min(PAGE, left) });
    for (const { session, seq } of page.toReversed()) if (!seen.has(session)) seen.set(session, seq);
    before = page[0]?.position ?? 0;
  }
  return [...seen].slice(0, limit).reverse();
}
