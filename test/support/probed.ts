import { once } from "node:events";
import { watch } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ConfiguredAgent } from "../../src/server/agents.ts";
import { type ServerProcess, startProcess } from "./process.ts";
import { type Cleanup, temporary } from "./server.ts";

/** Milliseconds for which a server's event loop was held up at most, and what its main thread worked meanwhile. */
export interface HeldUp {
  wall: number;
  cpu: number;
}

export interface Probed extends ServerProcess {
  /** Since it was last asked. */
  heldUp(): Promise<HeldUp>;
}

/** A server whose event loop is watched. */
export async function startProbed(
  t: Cleanup,
  agents: Record<string, ConfiguredAgent>,
  flags: readonly string[] = [],
): Promise<Probed> {
  const home = await temporary(t, "parley-probed-");
  const file = join(home, "probe");
  const server = await startProcess({
    home,
    agents,
    flags,
    imports: fileURLToPath(new URL("./loop-probe.mjs", import.meta.url)),
    env: { PARLEY_TEST_PROBE: file },
  });
  t.after(async () => void (await server.end("SIGTERM")));
  return {
    ...server,
    async heldUp() {
      const watcher = watch(home);
      try {
        // Listening begins before each look, so that no change is missed between the two.
        let changed = once(watcher, "change");
        server.child.kill("SIGUSR2");
        for (;;) {
          const found = await readFile(file, "utf8").catch(() => undefined);
          if (found !== undefined) return JSON.parse(found) as HeldUp;
          await changed;
          changed = once(watcher, "change");
        }
      } finally {
        watcher.close();
        await rm(file, { force: true });
      }
    },
  };
}
