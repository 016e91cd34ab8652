import { call, prompt } from "./api.ts";
import { residentMb } from "./machine.ts";
import { type Reading, startReader } from "./reader.ts";
import type { Server } from "./server.ts";

export interface Pace {
  clients: number;
  /** Lines at the beginning whose time is not counted. */
  warmUp: number;
  count: number;
  periodMs: number;
}

export interface Followed extends Reading {
  /** Of the server, with its clients still there. */
  memory: number;
}

async function follow(server: Server, path: string, pace: Pace, begin: () => Promise<unknown>): Promise<Followed> {
  await using scope = new AsyncDisposableStack();
  const { clients, warmUp, count } = pace;
  const reader = await startReader(scope, { url: server.url + path, clients, warmUp, texts: false });
  await begin();
  const reading = await reader.reading();
  const memory = residentMb(server.child.pid);
  // Only pieces of text are ever folded, so that every line is either there or covered.
  const missing = clients * count - reading.deltas - reading.folded;
  return { ...reading, lost: Math.max(reading.lost, missing), memory };
}

/** Clients of a session follow one turn of the paced agent. */
export function followPaced(server: Server, session: string, pace: Pace): Promise<Followed> {
  const path = `/v1/sessions/${session}/stream?after=latest`;
  return follow(server, path, pace, () => prompt(server, session, `${pace.count} ${pace.periodMs}`));
}

/** The same through the plain relay. */
export function plainFollow(relay: Server, pace: Pace): Promise<Followed> {
  const text = `${pace.count} ${pace.periodMs}`;
  return follow(relay, "/events", pace, () => call(relay, "POST", "/prompt", { text }));
}
