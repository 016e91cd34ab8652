import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Answer, JSON_TYPE, WRITTEN } from "./endpoint.ts";

/** A list up to this many characters is answered in one piece. */
const SMALL = 256 * 1024;
/** About so many characters are written at once. */
const PIECE = 64 * 1024;
/** A client that takes nothing for so long is given up. */
const STALLED_MS = 60_000;

/**
 * Answers with the JSON of a list, whose texts come one after the other. A long one is written as it is made, at the
 * pace of its reader, so that no more of it is held than one piece.
 */
export async function answerList(
  response: ServerResponse,
  texts: AsyncIterable<string>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | typeof WRITTEN> {
  const pieces = joined(texts);
  let text = "";
  for (let next = await pieces.next(); ; next = await pieces.next()) {
    if (next.done) return new Answer(text, { ...JSON_TYPE, ...headers });
    text += next.value;
    if (text.length >= SMALL) break;
  }
  // A client that left meanwhile gets nothing more; a write to it would be an error of the server's.
  response.once("error", () => {});
  if (!response.destroyed) response.writeHead(200, { ...JSON_TYPE, ...headers });
  void write(response, text, pieces);
  return WRITTEN;
}

/** The texts in pieces. */
async function* joined(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield piece;
}

async function write(response: ServerResponse, first: string, rest: AsyncGenerator<string>): Promise<void> {
  try {
    if (!response.destroyed && !response.write(first)) await drained(response);
    for await (const piece of rest) {
      if (response.destroyed) return;
      if (response.write(piece)) await nextTurn();
      else await drained(response);
    }
    response.end();
  } catch {
    // The head is out: a cut connection is the only honest way to say that the list is not whole.
    response.destroy();
  }
}

/** Resolves when the client has taken what waits for it, or has gone. Gives a client up that takes nothing. */
async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed || response.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => response.destroy(), STALLED_MS);
  response.once("drain", resolve);
  response.once("close", resolve);
  await promise;
  clearTimeout(timer);
  response.off("drain", resolve);
  response.off("close", resolve);
}
