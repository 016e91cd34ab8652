import { createHttpFetch, type HttpFetch } from "./http-fetch.ts";

/** A model's stream comes in lines, and each is read in one go. The longest are the summaries at an answer's end. */
const MAX_LINE = 2 * 1024 * 1024;
const LF = 0x0a;

/** Passes bytes on as they come; fails when a line of them is too long. */
export function boundLines(limit = MAX_LINE): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const first = chunk.indexOf(LF);
      const longest = length + (first < 0 ? chunk.length : first);
      length = first < 0 ? longest : chunk.length - 1 - chunk.lastIndexOf(LF);
      if (longest <= limit) controller.enqueue(chunk);
      else
        controller.error(new Error(`expected lines of at most ${limit} bytes in the model's answer, got a longer one`));
    },
  });
}

const httpFetch = createHttpFetch();

/** As `fetch`, for the streams of models. */
export async function boundedFetch(...args: Parameters<HttpFetch>): Promise<Response> {
  const response = await httpFetch(...args);
  const { body, headers } = response;
  if (!body || !headers.get("content-type")?.includes("event-stream")) return response;
  return Object.defineProperty(response, "body", { value: body.pipeThrough(boundLines()) });
}
