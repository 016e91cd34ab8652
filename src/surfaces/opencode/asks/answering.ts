import { isDeepStrictEqual } from "node:util";
import { isParleyError } from "../../../core/errors.ts";
import { askKey } from "../../../core/events/keys.ts";
import { isId } from "../../../core/ids.ts";
import type { Answer } from "../../../core/ledger/signals.ts";
import type { Surface } from "../context.ts";
import { type OpencodeError, tagged } from "../errors.ts";

/** Who answered, in the log. */
const CLIENT = "opencode";

type Kind = Answer["kind"];

function noSuchAsk(kind: Kind, requestID: string, more = ""): OpencodeError {
  const [tag, name] =
    kind === "permission" ? ["PermissionNotFoundError", "Permission"] : ["QuestionNotFoundError", "Question"];
  return tagged(404, tag, `${name} request not found: ${requestID}${more}`, { requestID });
}

/** What counts of an answer when two are compared. */
function essence(answer: { outcome?: unknown; feedback?: unknown; answers?: unknown }): unknown[] {
  return [answer.outcome, answer.feedback ?? null, answer.answers ?? null];
}

/** The first answer wins. Who gives the same once more is right, too; who gives another one learns what won. */
function afterTheFirst(kind: Kind, requestID: string, answer: Answer, thrown: unknown): void {
  if (!isParleyError(thrown)) throw thrown;
  if (thrown.code === "ask_not_found") throw noSuchAsk(kind, requestID);
  if (thrown.code !== "already_answered") throw thrown;
  const won = thrown.details.resolution as { outcome: string; by: string };
  if (isDeepStrictEqual(essence(won), essence(answer))) return;
  throw noSuchAsk(kind, requestID, `: it was answered before, with ${won.outcome} by ${won.by}`);
}

/** Answers an ask of any session. Returns the session that asked. */
export async function answerAsk({ gateway }: Surface, requestID: string, answer: Answer): Promise<string> {
  const { kind } = answer;
  const session = isId(kind, requestID) ? await gateway.log.locate(askKey(requestID)) : undefined;
  if (session === undefined || !(await gateway.log.head(session))) throw noSuchAsk(kind, requestID);
  try {
    await gateway.answer(session, requestID, answer, CLIENT);
  } catch (thrown) {
    afterTheFirst(kind, requestID, answer, thrown);
  }
  return session;
}

export type Reply = "once" | "always" | "reject";

/**
 * A refusal without a word is the last one: it ends the turn. One that says what to do instead lets the agent go on. Either
 * way it is for all that the session waits for, because the agent is about to do something else.
 */
export async function replyToPermission(
  surface: Surface,
  requestID: string,
  reply: Reply,
  message?: string,
): Promise<void> {
  if (reply !== "reject") {
    await answerAsk(surface, requestID, { kind: "permission", outcome: reply });
    return;
  }
  const words = message ? { feedback: message } : { stop: true };
  const answer: Answer = { kind: "permission", outcome: "reject", ...words };
  const session = await answerAsk(surface, requestID, answer);
  const head = await surface.gateway.log.head(session);
  for (const { id, kind } of head?.state.asks ?? []) {
    if (kind !== "permission" || id === requestID) continue;
    // Whoever answered it in the meantime was first.
    await answerAsk(surface, id, answer).catch(() => undefined);
  }
}
