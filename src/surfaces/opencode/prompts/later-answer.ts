import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { WRITTEN } from "../../http/endpoint.ts";
import { answerSlowly } from "../../http/slow-answer.ts";
import { isOpencodeProgram } from "../client-kind.ts";
import type { Surface } from "../context.ts";

/** Long enough for a busy machine to read some events, too short for a person to notice. */
const MOMENT_MS = 200;

/**
 * OpenCode's own `run` leaves as soon as its prompt is answered, and never prints the events that it has not read by
 * then: the whole answer, where that came at once. So its programs get a moment to read; others are not kept waiting.
 */
async function afterLastEvents<T>({ req }: ServerResponse, answer: Promise<T>): Promise<T> {
  const value = await answer;
  if (isOpencodeProgram(req.headers["user-agent"])) await delay(MOMENT_MS);
  return value;
}

/** Answers when the turn is over, however long that takes. */
export function answerLater(
  { gateway }: Surface,
  response: ServerResponse,
  session: string,
  answer: Promise<unknown>,
): typeof WRITTEN {
  return answerSlowly(gateway, response, session, afterLastEvents(response, answer));
}
