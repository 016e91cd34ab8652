import type { UsageAnswer, UsageQuery } from "../../client/index.ts";
import { usageOf } from "../../gateway/usage.ts";
import type { LogReader } from "../../log/contract.ts";
import { loadPrices } from "../../server/prices.ts";
import type { Settings } from "../config/settings.ts";

/** A log that is not there yet. */
const EMPTY: Pick<LogReader, "spent" | "head"> = { spent: async () => [], head: async () => undefined };

/** Adds up what the turns of a log have spent, as a server does. */
export async function usageOffline(
  log: Pick<LogReader, "spent" | "head"> | undefined,
  { prices }: Settings,
  query: UsageQuery,
): Promise<UsageAnswer> {
  return usageOf(log ?? EMPTY, await loadPrices(prices), query);
}
