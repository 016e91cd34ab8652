import { once } from "node:events";
import { CliError } from "../../exit.ts";
import { openBrowser } from "../../output/browser.ts";
import { clearKeyEcho } from "../../output/key-echo.ts";
import { Interrupts } from "../../run/interrupts.ts";
import { tell } from "../../tell.ts";
import type { UsedServer } from "../server.ts";
import { startFront } from "./front.ts";
import { startPages } from "./pages.ts";

export interface WebOptions {
  program: string;
  dataDirectory: string;
  directory: string;
  server: UsedServer;
  open: boolean;
}

/** Shows OpenCode's web page on a server of Parley until a signal comes; returns the exit code. */
export async function showWeb({ program, dataDirectory, directory, server, open }: WebOptions): Promise<number> {
  const interrupts = new Interrupts();
  const { signal: stop } = interrupts;
  try {
    const pages = await startPages(program, dataDirectory, stop);
    try {
      const front = await startFront({ pages, api: server });
      process.stdout.write(`${front.address(directory)}\n`);
      tell("OpenCode's web page is at this address, for this machine alone. Ctrl-C ends it.");
      if (open) openBrowser(front.addressForOnce(directory));
      const gone = await Promise.race([
        pages.ended,
        stop.aborted ? undefined : once(stop, "abort").then(() => undefined),
      ]);
      if (stop.aborted) clearKeyEcho(process.stderr);
      await front.close();
      if (gone !== undefined) throw new CliError(`OpenCode's web page is gone: ${gone}`);
      return 0;
    } finally {
      await pages.close();
    }
  } catch (thrown) {
    if (stop.aborted) return interrupts.code ?? 0;
    throw thrown;
  } finally {
    await server.leave(stop);
    interrupts.close();
  }
}
