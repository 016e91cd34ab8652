import type { IncomingMessage } from "node:http";
import { ParleyError } from "../core/errors.ts";

export const BODY_LIMIT = 10 * 1024 * 1024;

function tooLarge(limit: number): ParleyError {
  const detail = `expected a body of at most ${limit} bytes, got more: send less, or raise the limit of the server`;
  return new ParleyError("too_large", detail, { limit });
}

/** Refuses by what the sender announces, before a byte of it is read. */
export function checkDeclaredLength(contentLength: string | undefined, limit: number): ParleyError | undefined {
  return contentLength !== undefined && Number(contentLength) > limit ? tooLarge(limit) : undefined;
}

/** Reads the whole body. Over the limit it stops keeping bytes but goes on reading, so that the answer can be heard. */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
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
