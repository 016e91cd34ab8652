import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Receipt } from "../../core/receipt.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { hangUp, type WRITTEN } from "../http/endpoint.ts";
import { answerSlowly } from "../http/slow-answer.ts";
import { outcomeOf } from "../http/turn-outcome.ts";

export const turnQuery = z.object({
  wait: z.stringbool().default(false).describe("answer when the turn is over, with its outcome"),
});

/** The receipt of the prompt that begins a turn, or with `wait` the turn's outcome when it is over. */
export function answerTurn(
  gateway: Gateway,
  { query, response }: { query: z.output<typeof turnQuery>; response: ServerResponse },
  session: string,
  receipt: Receipt,
): Receipt | typeof WRITTEN {
  if (!query.wait) return receipt;
  return answerSlowly(gateway, response, session, outcomeOf(gateway.log, session, receipt, hangUp(response)));
}
