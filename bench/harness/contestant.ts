import { call, createSession } from "./api.ts";
import { hear, type Piece } from "./listen.ts";
import type { Heard, Passed } from "./paced.ts";
import type { Server } from "./server.ts";

/** A server of an agent whose sessions answer prompts. */
export interface Contestant {
  readonly pid: number;
  /** Begins a session, in another directory than the server's own where it is told one. */
  open(directory?: string): Promise<string>;
  /** One turn of it. */
  turn(session: string): Promise<Heard>;
}

export interface Prompting {
  agent: string;
  text: string;
  /** Pieces of the whole answer. */
  pieces: number;
  /** When the model wrote them. */
  sent: Passed;
}

function readEvent(data: string): Piece | undefined {
  const event = JSON.parse(data) as { type: string; data: { delta?: string } };
  if (event.type === "item.delta") return { text: event.data.delta ?? "" };
  return event.type === "turn.ended" ? { end: true } : undefined;
}

/** Sessions of an agent through Parley: prompted by POST …/prompts, and heard by the session's stream. */
export function throughParley(server: Server, { agent, text, pieces, sent }: Prompting): Contestant {
  return {
    pid: server.child.pid,
    open: (directory) => createSession(server, agent, directory),
    turn(session) {
      const begin = () => call(server, "POST", `/v1/sessions/${session}/prompts`, { text });
      const url = `${server.url}/v1/sessions/${session}/stream?after=latest`;
      return hear({ url, read: readEvent, pieces, sent, begin });
    },
  };
}
