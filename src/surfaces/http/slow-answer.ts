import type { ServerResponse } from "node:http";
import type { Gateway } from "../../gateway/gateway.ts";
import { WRITTEN } from "./endpoint.ts";

const KEEP_ALIVE_MS = 15_000;

/** Answers with JSON that takes long to come: spaces before it keep proxies and clients from giving up. */
async function writeSlowly(response: ServerResponse, value: Promise<unknown>): Promise<void> {
  response.writeHead(200, { "content-type": "application/json", "x-accel-buffering": "no" });
  response.flushHeaders();
  const timer = setInterval(() => response.write(" "), KEEP_ALIVE_MS);
  try {
    response.end(JSON.stringify(await value));
  } catch {
    // The head is out: a cut connection is the only honest way to say that no answer will come.
    response.destroy();
  } finally {
    clearInterval(timer);
  }
}

/** Answers when a turn of a session is over, however long that takes. The waiting client counts as watching the session. */
export function answerSlowly(
  { attachments }: Gateway,
  response: ServerResponse,
  session: string,
  answer: Promise<unknown>,
): typeof WRITTEN {
  // A client that has left already would count as watching for ever.
  if (response.closed || response.destroyed) {
    answer.catch(() => {});
    return WRITTEN;
  }
  const detach = attachments.attach(session);
  response.once("close", detach);
  void writeSlowly(response, answer).finally(detach);
  return WRITTEN;
}
