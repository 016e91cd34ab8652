import type { ErrorDetail } from "./frames.ts";

const USUAL: Readonly<Record<number, { type: string; code: string | null }>> = {
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "rate_limit_error", code: "rate_limit_exceeded" },
};

/** How both OpenAI formats write an error. */
export function openaiError(status: number, { message, type, code }: ErrorDetail): object {
  const kind = status >= 500 ? "server_error" : "invalid_request_error";
  const usual = USUAL[status] ?? { type: kind, code: null };
  return { error: { message, type: type ?? usual.type, param: null, code: code ?? usual.code } };
}
