import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { Logger } from "../../../core/logger.ts";
import { turnError } from "../errors.ts";
import { isCancelled } from "../requests.ts";
import type { AttachedSession } from "../session/attached.ts";
import { sendPrompt } from "../session/operations.ts";
import { cancelPrompt } from "../session/take-back.ts";
import { failureOf, stopReason } from "../translate/outcome.ts";
import type { TurnEnd } from "../translate/updates.ts";

/** Gives a prompt, and waits until it is a message of the conversation, whose id it returns. Throws when it never becomes one. */
export async function insert(
  session: AttachedSession,
  blocks: readonly ContentBlock[],
  signal: AbortSignal,
  logger: Logger,
): Promise<string> {
  const { id, begun } = sendPrompt(session, blocks);
  const takeBack = (): void => {
    // A client that is gone wanted nothing: its prompt goes on waiting.
    if (!isCancelled(signal)) return;
    cancelPrompt(session, id).catch((error: unknown) => {
      logger.warn({ err: error, session: session.id }, "a prompt could not be cancelled");
    });
  };
  if (signal.aborted) takeBack();
  signal.addEventListener("abort", takeBack, { once: true });
  try {
    const end = await begun;
    if (end && end.turn === undefined) throw refusal(end);
    return id;
  } finally {
    signal.removeEventListener("abort", takeBack);
  }
}

/** Why a prompt got no turn: it was taken back, or nothing is kept that would tell. */
function refusal(end: TurnEnd): RequestError {
  return stopReason(end) === "cancelled" ? RequestError.requestCancelled() : turnError(failureOf(end));
}
