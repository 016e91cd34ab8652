import type { ServerResponse } from "node:http";
import type { Receipt } from "../../../gateway/receipt.ts";
import { type Outcome, outcomeOf, writeSlowly } from "../../universal/wait.ts";
import type { Surface } from "../context.ts";
import { WRITTEN } from "../operation.ts";
import { afterLastWords } from "./last-words.ts";

/** A turn is followed to its end, whether or not anybody still waits for the answer. */
const NEVER = new AbortController().signal;

/** How the turn of a prompt ended. Rejects only where Parley itself ends before. */
export function turnOver({ gateway }: Surface, session: string, receipt: Receipt): Promise<Outcome> {
  return outcomeOf(gateway.log, session, receipt, NEVER);
}

/** Answers when the turn is over, however long that takes; who waits counts as watching. */
export function answerLater(
  { gateway }: Surface,
  response: ServerResponse,
  session: string,
  answer: Promise<unknown>,
): typeof WRITTEN {
  // Who has left already would count as watching for ever.
  if (response.closed || response.destroyed) {
    answer.catch(() => {});
    return WRITTEN;
  }
  const detach = gateway.attachments.attach(session);
  response.once("close", detach);
  void writeSlowly(response, 200, afterLastWords(response, answer)).finally(detach);
  return WRITTEN;
}
