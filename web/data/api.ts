import { createClient, ParleyApiError } from "../../src/client/index.ts";
import { fetchOnce } from "./early.ts";

/** The server that sent this page; its cookie says who this is. */
export const api = createClient({ url: location.origin, token: null, name: "console", fetch: fetchOnce });

/** Whether the server does not know who this is any more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ParleyApiError && error.status === 401;
}

/** A refusal or a failure in words for a person. */
export function wordsOf(error: unknown): string {
  if (error instanceof ParleyApiError) return error.detail || error.message;
  return error instanceof Error ? error.message : String(error);
}
