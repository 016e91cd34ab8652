import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk/unstable";
import { turnError } from "../errors.ts";
import { isCancelled } from "../requests.ts";
import { cancelPromptIn, sendPrompt } from "../session/operations.ts";
import type { Sessions } from "../session/sessions.ts";
import { failureOf, stopReason } from "../translate/outcome.ts";
import type { TurnEnd } from "../translate/updates.ts";

export interface Insertion {
  sessions: Sessions;
  session: string;
  blocks: readonly ContentBlock[];
  signal: AbortSignal;
}

/** Gives a prompt, and waits until it is a message of the conversation, whose id it returns. Throws when it never becomes one. */
export async function insert({ sessions, session, blocks, signal }: Insertion): Promise<string> {
  const { id, begun } = sendPrompt(await sessions.get(session), blocks);
  const takeBack = (): void => {
    // A client that is gone wanted nothing: its prompt goes on waiting.
    if (!isCancelled(signal)) return;
    cancelPromptIn(sessions, session, id).catch((error: unknown) => {
      sessions.options.logger.warn({ err: error, session }, "a prompt could not be cancelled");
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
