/** Codes of a connection that was never made: nothing of the request has arrived. */
const NOT_SENT: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "EADDRNOTAVAIL", "UND_ERR_CONNECT_TIMEOUT"]);

/** Whether a request failed before any of it reached a server, so that it may be sent to another one. */
export function wasNotSent(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ("code" in error && NOT_SENT.has(error.code)) return true;
  }
  return false;
}

/** Whether the server says that it is about to leave, and has done nothing. The response can still be read otherwise. */
export async function isLeaving(response: Response): Promise<{ yes: boolean; response: Response }> {
  if (response.status !== 503) return { yes: false, response };
  const text = await response.text();
  const { status, headers } = response;
  return { yes: codeOf(text) === "shutting_down", response: new Response(text, { status, headers }) };
}

function codeOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "code" in value ? value.code : undefined;
  } catch {
    return undefined;
  }
}
