/** An answer without the fields that Parley adds to OpenCode's description: the status of a session, for clients that poll. */
export function withoutAdditions(operation: string, body: unknown): unknown {
  if (operation !== "GET /session/{sessionID}" || typeof body !== "object" || body === null) return body;
  const { status: _, ...rest } = body as { status?: unknown };
  return rest;
}
