import { readFile } from "node:fs/promises";
import { messageOf, ParleyError } from "../core/errors.ts";
import { type PriceTable, readPrices, withPrices } from "../core/spending/prices.ts";
import { publicPrices } from "../core/spending/public-prices.ts";

/** Parley's prices of models, with those of the user's file before them. */
export async function loadPrices(file: string | undefined): Promise<PriceTable> {
  if (file === undefined) return publicPrices();
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, "utf8"));
  } catch (thrown) {
    throw new ParleyError("invalid", `the prices in ${file} cannot be read: ${messageOf(thrown)}`);
  }
  const own = readPrices(json);
  if (typeof own === "string") throw new ParleyError("invalid", `the prices in ${file} cannot be used: ${own}`);
  return withPrices(publicPrices(), own);
}
