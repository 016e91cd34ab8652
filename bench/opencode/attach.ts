import { startTui } from "../../test/support/opencode/clients.ts";
import { startCuttingProxy } from "../../test/support/opencode/cutting-proxy.ts";
import { MODEL } from "../../test/support/opencode/native.ts";
import type { Contest, Running } from "./contest.ts";

export interface Attached {
  /** Milliseconds from the start of the client until it can be written to and shows its model. */
  usable: number;
  /** The part of it since its first request: before that it was busy with itself. */
  served: number;
}

/** One start of the real terminal interface. */
export async function attachOnce(contest: Contest, server: Running): Promise<Attached> {
  const { program, surroundings, directory } = contest;
  await using proxy = await startCuttingProxy(server.url);
  const start = performance.now();
  const tui = startTui({ program, surroundings, directory, url: proxy.url });
  try {
    await proxy.until("GET", 1);
    const asked = performance.now();
    await tui.waitFor("Ask anything");
    await tui.waitFor(MODEL.name);
    const now = performance.now();
    return { usable: now - start, served: now - asked };
  } finally {
    await tui.close();
  }
}
