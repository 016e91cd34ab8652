import { copyFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { askProbe } from "../probe-file.ts";
import { type ServerProcess, startProcess } from "../process.ts";
import { type Cleanup, temporary } from "../server.ts";
import { type HeapSnapshot, type Kind, kindsOf } from "./kinds.ts";

/** The memory of a server after all garbage was collected, in megabytes, and what its heap holds. */
export interface Held {
  heap: number;
  /** Memory outside of the heap that objects in it own, such as buffers. */
  external: number;
  resident: number;
  kinds: Map<string, Kind>;
}

export interface ProbedHeap extends ServerProcess {
  held(): Promise<Held>;
}

const MB = 1024 * 1024;

/** A directory for the snapshots, for somebody who looks for the cause of a growth. */
const KEPT = process.env.PARLEY_TEST_HEAPS;

/** A server in a process of its own, whose heap can be looked at. */
export async function startProbedHeap(t: Cleanup, flags: readonly string[]): Promise<ProbedHeap> {
  const home = await temporary(t, "parley-heap-");
  const file = join(await temporary(t, "parley-heap-probe-"), "probe");
  const server = await startProcess({
    home,
    flags,
    imports: fileURLToPath(new URL("./probe.mjs", import.meta.url)),
    env: { PARLEY_TEST_PROBE: file },
  });
  t.after(async () => void (await server.end("SIGTERM")));
  let looks = 0;
  return {
    ...server,
    async held() {
      const { heapUsed, external, rss } = await askProbe<NodeJS.MemoryUsage>(server.child, file);
      const written = `${file}.heapsnapshot`;
      const kinds = kindsOf(JSON.parse(await readFile(written, "utf8")) as HeapSnapshot);
      if (KEPT !== undefined) await copyFile(written, join(KEPT, `${server.pid}-${++looks}.heapsnapshot`));
      await rm(written);
      return { heap: heapUsed / MB, external: external / MB, resident: rss / MB, kinds };
    },
  };
}
