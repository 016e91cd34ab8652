import { call } from "../harness/api.ts";
import type { Piece } from "../harness/listen.ts";
import type { Running } from "./contest.ts";

interface Said {
  type: string;
  properties: { sessionID?: string; delta?: string };
}

/** Reads the events of one session, as a client of `/event` does. */
export function readEvent(session: string): (data: string) => Piece | undefined {
  return (data) => {
    const { type, properties } = JSON.parse(data) as Said;
    if (properties.sessionID !== session) return undefined;
    if (type === "message.part.delta") return { text: properties.delta ?? "" };
    return type === "session.idle" ? { end: true } : undefined;
  };
}

export async function newSession(server: Running): Promise<string> {
  return (await call<{ id: string }>(server, "POST", "/session", {})).id;
}

export async function promptAsync(server: Running, session: string, text: string): Promise<void> {
  const response = await fetch(`${server.url}/session/${session}/prompt_async`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ parts: [{ type: "text", text }] }),
  });
  if (!response.ok)
    throw new Error(`expected the prompt to be taken, got ${response.status}: ${await response.text()}`);
}
