import type { Tokens } from "../events/values.ts";
import { type Fields, isFields, numberIn, textIn } from "../json/fields.ts";

/** US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** As `input` where it is not told. */
  cacheRead?: number;
  cacheWrite?: number;
}

/** Prices by the names of models; null: not known, whatever another table says. */
export interface PriceTable {
  /** The day on which it was made. */
  date: string;
  /** That of the user's own table, which counts before it. */
  own?: string;
  models: ReadonlyMap<string, ModelPrice | null>;
}

/** Dollars are added as whole billionths, so that a sum does not depend on the order. */
export const BILLION = 1_000_000_000;
const MILLION = 1_000_000;

/** The cost of tokens in billionths of a dollar. */
export function costOf({ input, output, cacheRead = 0, cacheWrite = 0 }: Tokens, price: ModelPrice): number {
  const dollars =
    input * price.input +
    output * price.output +
    cacheRead * (price.cacheRead ?? price.input) +
    cacheWrite * (price.cacheWrite ?? price.input);
  return Math.round((dollars / MILLION) * BILLION);
}

/** Ends of a name that do not change the model: the day of its making, `-latest`, and a longer context in brackets. */
const ENDS = /(\[[^\]]*\]|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-latest|:thinking)$/;

/** The names by which a model may be listed, the most exact one first: as it is, without its provider, without its day. */
export function namesOf(model: string): string[] {
  const names = [model.toLowerCase()];
  const add = (name: string): void => {
    if (name !== "" && !names.includes(name)) names.push(name);
  };
  for (let name = names[0] ?? ""; ENDS.test(name); ) {
    name = name.replace(ENDS, "");
    add(name);
  }
  for (const name of [...names]) add(name.slice(name.lastIndexOf("/") + 1));
  return names;
}

/** The price of a model. */
export function priceOf({ models }: PriceTable, model: string): ModelPrice | undefined {
  const name = namesOf(model).find((one) => models.has(one));
  return (name === undefined ? undefined : models.get(name)) ?? undefined;
}

/** Reads a table. A text says what is wrong with it. */
export function readPrices(json: unknown): PriceTable | string {
  if (!isFields(json)) return 'expected an object such as {"date": "2026-01-31", "models": {}}';
  const date = textIn(json, "date");
  const { models } = json;
  if (date === undefined || !isFields(models)) return "expected a text `date` and an object `models`";
  const read = new Map<string, ModelPrice | null>();
  for (const [name, told] of Object.entries(models)) {
    const price = told === null ? null : isFields(told) ? priceIn(told) : undefined;
    if (price === undefined) {
      return `models["${name}"]: expected null, or dollars for a million tokens as {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}`;
    }
    read.set(name.toLowerCase(), price);
  }
  return { date, models: read };
}

function priceIn(told: Fields): ModelPrice | undefined {
  const [input, output] = [numberIn(told, "input"), numberIn(told, "output")];
  const rest = { cacheRead: numberIn(told, "cacheRead"), cacheWrite: numberIn(told, "cacheWrite") };
  if (input === undefined || output === undefined) return undefined;
  const price: ModelPrice = { input, output };
  if (rest.cacheRead !== undefined) price.cacheRead = rest.cacheRead;
  if (rest.cacheWrite !== undefined) price.cacheWrite = rest.cacheWrite;
  const isRight = Object.values(price).every((dollars) => Number.isFinite(dollars) && dollars >= 0);
  const isWhole = Object.keys(price).length === Object.keys(told).length;
  return isRight && isWhole ? price : undefined;
}

/** A table with the entries of another, which counts where both have one. */
export function withPrices(table: PriceTable, own: PriceTable): PriceTable {
  return { date: table.date, own: own.date, models: new Map([...table.models, ...own.models]) };
}
