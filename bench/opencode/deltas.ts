import { call } from "../harness/api.ts";
import type { Piece } from "../harness/listen.ts";
import type { Running } from "./contest.ts";

interface Said {
  type: string;
  properties: { sessionID?: string; delta?: string };
}

/** Reads the events of one session, or of all in its directory, as a client of `/event` does. */
export function readEvent(session?: string): (data: string) => Piece | undefined {
  return (data) => {
    const { type, properties } = JSON.parse(data) as Said;
    if (session !== undefined && properties.sessionID !== session) return undefined;
    if (type === "message.part.delta") return { text: properties.delta ?? "" };
    return type === "session.idle" ? { end: true } : undefined;
  };
}

/** A path for a directory, the server's own unless told. */
export function pathIn(path: string, directory?: string): string {
  return directory === undefined ? path : `${path}?directory=${encodeURIComponent(directory)}`;
}

export async function newSession(server: Pick<Running, "url">, directory?: string): Promise<string> {
  return (await call<{ id: string }>(server, "POST", pathIn("/session", directory), {})).id;
}

export async function promptAsync(
  server: Pick<Running, "url">,
  session: string,
  text: string,
  directory?: string,
): Promise<void> {
  const response = await fetch(server.url + pathIn(`/session/${session}/prompt_async`, directory), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ parts: [{ type: "text", text }] }),
  });
  if (!response.ok)
    throw new Error(`expected the prompt to be taken, got ${response.status}: ${await response.text()}`);
}
