import { setTimeout as delay } from "node:timers/promises";
import { type Fields, textIn } from "../../core/json/fields.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import { type Api, isItsNo } from "./api.ts";

/** How long the program may take to stop its work. */
export const ABORT_MS = 10_000;

const REPLIES = 20;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

const OVER = "the turn is over";

export interface Reply {
  kind: "permission" | "question";
  verb: "reply" | "reject";
  body: Fields;
  /** The program ends the turn by it. */
  isLastWord: boolean;
}

/**
 * An answer as the program takes it. Its own "always" would hold for all sessions of the directory, and count more than any rule: Parley keeps it for the
 * session, and allows each call once. A call that were allowed while its turn is being stopped would still be made: nothing is allowed where the turn is not open.
 */
export function replyTo(answer: Answer, isOpen: boolean): Reply {
  if (answer.kind === "question") {
    if (answer.outcome === "answered")
      return { kind: "question", verb: "reply", body: { answers: answer.answers }, isLastWord: false };
    return { kind: "question", verb: "reject", body: {}, isLastWord: true };
  }
  if (answer.outcome !== "reject" && !isOpen)
    return { kind: "permission", verb: "reply", body: { reply: "reject", message: OVER }, isLastWord: false };
  if (answer.outcome !== "reject")
    return { kind: "permission", verb: "reply", body: { reply: "once" }, isLastWord: false };
  const { feedback, stop = false } = answer;
  const words = feedback && !stop ? { message: feedback } : {};
  return { kind: "permission", verb: "reply", body: { reply: "reject", ...words }, isLastWord: !("message" in words) };
}

/** Sends a reply until the program has heard it, or it cannot be reached for long: it would wait for ever. */
export async function sendReply(api: Api, path: string, body: Fields, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < REPLIES && !signal.aborted; tries++) {
    try {
      await api.ask("POST", path, { body, signal });
      return;
    } catch (thrown) {
      // It no longer waits for this answer.
      if (isItsNo(thrown)) return;
    }
    await delay(Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS), undefined, { signal }).catch(() => {});
  }
}

/** Asks the program to stop the work of a session. */
export async function stopWork(api: Api, session: string, limitMs: number): Promise<void> {
  await api.ask("POST", `/session/${session}/abort`, { limitMs }).catch(() => {});
}

/** Refuses the asks of sessions that nobody waits for any more: the program keeps those of a turn that was stopped. */
export async function clearAsks(api: Api, sessions: readonly string[]): Promise<void> {
  const ended = new Set<unknown>(sessions);
  for (const kind of ["permission", "question"] as const) {
    const open = await api.list("GET", `/${kind}`).catch(() => []);
    for (const request of open.filter(({ sessionID }) => ended.has(sessionID))) {
      const [id = "", isPermission] = [textIn(request, "id"), kind === "permission"];
      const path = `/${kind}/${encodeURIComponent(id)}/${isPermission ? "reply" : "reject"}`;
      await api.ask("POST", path, { body: isPermission ? { reply: "reject" } : {} }).catch(() => {});
    }
  }
}
