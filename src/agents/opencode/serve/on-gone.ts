import type { Exit } from "../../../host/contract.ts";
import type { RunningServer } from "./contract.ts";

type Listener = (exit: Exit) => void;

/** The listeners of a server, or its end. */
const known = new WeakMap<RunningServer, { listeners: Set<Listener>; exit?: Exit }>();

function listenersOf(server: RunningServer): { listeners: Set<Listener>; exit?: Exit } {
  const there = known.get(server);
  if (there) return there;
  const fresh: { listeners: Set<Listener>; exit?: Exit } = { listeners: new Set() };
  known.set(server, fresh);
  void server.gone.then((exit) => {
    fresh.exit = exit;
    for (const one of [...fresh.listeners]) one(exit);
  });
  return fresh;
}

/** Tells when a server is gone, until it is taken back. A server outlives its sessions, and its promise would keep all of them for as long. */
export function onGone(server: RunningServer, listener: Listener): () => void {
  const { listeners, exit } = listenersOf(server);
  if (exit) listener(exit);
  else listeners.add(listener);
  return () => void listeners.delete(listener);
}
