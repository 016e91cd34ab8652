import table from "./prices.json" with { type: "json" };
import { type PriceTable, readPrices } from "./prices.ts";

/** The public prices of well-known models, as they were on the day of the table. */
export function publicPrices(): PriceTable {
  const read = readPrices(table);
  if (typeof read === "string") throw new Error(`prices.json: ${read}`);
  return read;
}
