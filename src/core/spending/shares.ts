import type { Tokens } from "../events/values.ts";
import { present } from "../json/fields.ts";
import { addTokens } from "../usage.ts";
import type { Spent } from "./spent.ts";

/** A part of a turn's spending that one model had. */
export interface Share {
  model?: string;
  tokens?: Tokens;
  /** Dollars, as the agent told them. */
  cost?: number;
}

/** Costs are told in floats. */
const NEARLY = 1e-6;

const COUNTS = ["input", "output", "reasoning", "cacheRead", "cacheWrite"] as const;

/** A turn's spending by model. The agent's own list is believed only where it adds up to what the turn has spent. */
export function sharesOf({ model, usage }: Spent): Share[] {
  const { tokens, cost, models = {} } = usage;
  const whole: Share = present({ model, tokens, cost });
  const shares = Object.entries(models).map(
    ([name, share]): Share => ({ model: name, ...present({ tokens: share.tokens, cost: share.cost }) }),
  );
  if (!tokens || !addUp(shares, tokens)) return [whole];
  if (cost === undefined) return shares;
  // A share without a cost has one that nobody knows, unless the costs of the others do not make up the turn's.
  const told = shares.reduce((sum, share) => sum + (share.cost ?? 0), 0);
  if (Math.abs(told - cost) < NEARLY) return shares;
  const [only, ...others] = shares;
  return only && others.length === 0 ? [{ ...only, cost }] : [whole];
}

function addUp(shares: readonly Share[], tokens: Tokens): boolean {
  if (shares.length === 0) return false;
  const sum = shares.reduce<Tokens | undefined>(
    (all, share) => (share.tokens ? addTokens(all, share.tokens) : all),
    undefined,
  );
  return sum !== undefined && COUNTS.every((name) => (sum[name] ?? 0) === (tokens[name] ?? 0));
}
