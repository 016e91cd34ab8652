import { isDeepStrictEqual } from "node:util";
import { isParleyError } from "../../../core/errors.ts";
import { askKey } from "../../../core/events/keys.ts";
import { isId } from "../../../core/ids.ts";
import type { Answer } from "../../../core/ledger/signals.ts";
import type { Surface } from "../context.ts";
import { type OpencodeError, tagged } from "../errors.ts";

/** The name in the log for answers of this surface. */
const CLIENT = "opencode";

type Kind = Answer["kind"];

function noSuchAsk(kind: Kind, requestID: string, more = ""): OpencodeError {
  const [tag, name] =
    kind === "permission" ? ["PermissionNotFoundError", "Permission"] : ["QuestionNotFoundError", "Question"];
  return tagged(404, tag, `${name} request not found: ${requestID}${more}`, { requestID });
}

/** The fields of an answer that count when two are compared. */
function essence(answer: { outcome?: unknown; feedback?: unknown; answers?: unknown }): unknown[] {
  return [answer.outcome, answer.feedback ?? null, answer.answers ?? null];
}

/** The first answer wins. The same answer again is accepted, too; another one is refused with the one that won. */
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

/** A refusal without a message ends the turn. One that says what to do instead lets the agent go on. */
export function permissionAnswer(reply: Reply, message?: string): Answer {
  if (reply !== "reject") return { kind: "permission", outcome: reply };
  return { kind: "permission", outcome: "reject", ...(message ? { feedback: message } : { stop: true }) };
}

/** A refusal refuses all open permissions of the session, because the agent is about to do something else. */
export async function replyToPermission(
  surface: Surface,
  requestID: string,
  reply: Reply,
  message?: string,
): Promise<void> {
  const answer = permissionAnswer(reply, message);
  const session = await answerAsk(surface, requestID, answer);
  if (reply === "reject") await refuseOthers(surface, session, requestID, answer);
}

export async function refuseOthers(
  surface: Surface,
  session: string,
  requestID: string,
  answer: Answer,
): Promise<void> {
  const head = await surface.gateway.log.head(session);
  for (const { id, kind } of head?.state.asks ?? []) {
    if (kind !== "permission" || id === requestID) continue;
    // An answer that came in the meantime was first.
    await answerAsk(surface, id, answer).catch(() => undefined);
  }
}
