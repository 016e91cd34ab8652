import { parseRoute } from "../model/route.ts";

/** So many of a session's events are read at first: as many as a screen shows. The page before them follows at once. */
export const FIRST_EVENTS = 60;

const begun = new Map<string, Promise<Response>>();

function begin(path: string): void {
  const response = fetch(path, { headers: { "x-parley-client": "console" }, cache: "no-store" });
  // Whoever asks for it hears of the failure, and asks again.
  response.catch(() => {});
  begun.set(new URL(path, location.href).href, response);
}

/** The first requests of a session's page. They are sent before the rest of the script runs: most of its time is theirs. */
function beginAll(): void {
  const now = parseRoute(location);
  // A one-time link logs in first.
  if (now.page !== "session" || location.hash.startsWith("#enter=")) return;
  const session = `/v1/sessions/${encodeURIComponent(now.session)}`;
  if (now.tab === "transcript") begin(`${session}/events?before=latest&limit=${FIRST_EVENTS}`);
  begin(session);
}

beginAll();

/** Sends a request, unless it is one that was sent already: then its response is this one's, once. */
export function fetchOnce(url: string, init: RequestInit): Promise<Response> {
  const response = init.method === "GET" ? begun.get(url) : undefined;
  if (!response) return fetch(url, init);
  begun.delete(url);
  return response;
}
