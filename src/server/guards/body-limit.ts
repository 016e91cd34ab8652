import type { IncomingMessage } from "node:http";
import { ParleyError } from "../../core/errors.ts";

export const BODY_LIMIT = 10 * 1024 * 1024;

function tooLarge(limit: number): ParleyError {
  const detail = `expected a body of at most ${limit} bytes, got more: send less, or raise the limit of the server`;
  return new ParleyError("too_large", detail, { limit });
}

/** Refuses by what the sender announces, before a byte of it is read. */
export function checkDeclaredLength(contentLength: string | undefined, limit: number): ParleyError | undefined {
  return contentLength !== undefined && Number(contentLength) > limit ? tooLarge(limit) : undefined;
}

/** How long a body may take in all, and how long its sender may be silent. */
export interface BodyTimes {
  allMs: number;
  silentMs: number;
}

const BODY_TIMES: BodyTimes = { allMs: 60_000, silentMs: 15_000 };

function tooSlow(bytes: number, what: string): ParleyError {
  const detail = `expected ${what}, got ${bytes} bytes until then: send it faster, or less of it`;
  return new ParleyError("request_timeout", detail);
}

/** Reads the whole body. Over the limit it stops keeping bytes but goes on reading, so that the answer can be heard. */
export async function readBody(request: IncomingMessage, limit: number, times = BODY_TIMES): Promise<Buffer> {
  let size = 0;
  const late = Promise.withResolvers<never>();
  const all = `the whole body within ${times.allMs / 1_000} s`;
  const more = `more of the body every ${times.silentMs / 1_000} s`;
  const deadline = setTimeout(() => late.reject(tooSlow(size, all)), times.allMs);
  const silence = setTimeout(() => late.reject(tooSlow(size, more)), times.silentMs);
  const count = (chunk: Buffer): void => {
    size += chunk.length;
    silence.refresh();
  };
  request.on("data", count);
  try {
    return await Promise.race([wholeBody(request, limit), late.promise]);
  } finally {
    clearTimeout(deadline);
    clearTimeout(silence);
    request.off("data", count);
  }
}

function wholeBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(limit));
      }
    });
    request.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.once("error", reject);
    request.once("close", () => reject(new ParleyError("bad_request", "the request ended before its body did")));
  });
}
