import { present } from "../../../core/json/fields.ts";
import type { Outcome } from "../../../core/receipt.ts";
import type { SessionHead } from "../../../log/contract.ts";
import type { History } from "../messages/history.ts";
import { derivedId } from "../projection/derived-ids.ts";
import { finishOfTurn, turnError } from "../projection/failures.ts";
import { answering } from "../projection/session-shape.ts";
import { NO_TOKENS } from "../projection/usage.ts";
import type { AssistantMessage, MessageError, MessageWithParts } from "../shapes/message.ts";

function errorOf(outcome: Outcome, providerID: string): MessageError | undefined {
  const { reason } = outcome;
  if (reason !== "withdrawn") return turnError({ ...outcome, reason }, providerID);
  return { name: "MessageAbortedError", data: { message: "Aborted before it was begun" } };
}

/** Stands for the answer of a turn in which the agent said nothing at all, not even that it begins. */
function noAnswer({ state }: SessionHead, prompt: string, outcome: Outcome, now: number): MessageWithParts {
  const { id: sessionID, directory } = state;
  const { agent, providerID, modelID, variant } = answering(state, state);
  const error = errorOf(outcome, providerID);
  const finish = outcome.reason === "withdrawn" ? undefined : finishOfTurn(outcome.reason);
  const info: AssistantMessage = {
    id: derivedId("msg", now, prompt),
    sessionID,
    role: "assistant",
    time: { created: now, completed: now },
    parentID: prompt,
    modelID,
    providerID,
    mode: agent,
    agent,
    path: { cwd: directory, root: directory },
    cost: 0,
    tokens: NO_TOKENS,
    ...present({ variant, finish, error }),
  };
  return { info, parts: [] };
}

/** The answer to a prompt: the last message of its own turn, also when other turns followed. */
export async function answerTo(
  history: History,
  head: SessionHead,
  prompt: string,
  outcome: Outcome,
): Promise<MessageWithParts> {
  return (await history.answerTo(head, prompt)) ?? noAnswer(head, prompt, outcome, head.state.updated);
}
