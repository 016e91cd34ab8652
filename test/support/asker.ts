import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Cleanup } from "./server.ts";

/** The longest round trips in milliseconds: of what is asked, and of a server that does nothing on the same machine at the same time. */
export interface Longest {
  asked: number;
  idle: number;
}

/** Asks an address again and again from a process of its own, which has nothing else to do. */
export function startAsker(t: Cleanup, url: string): () => Promise<Longest> {
  const child = fork(fileURLToPath(new URL("./asker.mjs", import.meta.url)), [url]);
  t.after(async () => {
    if (!child.connected) return;
    const ended = once(child, "exit");
    child.disconnect();
    await ended;
  });
  return async () => {
    const answered = once(child, "message");
    child.send("tell");
    const [longest] = (await answered) as [Longest];
    return longest;
  };
}
