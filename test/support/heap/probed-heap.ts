import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { askProbe } from "../probe-file.ts";
import { type ServerProcess, startProcess } from "../process.ts";
import { type Cleanup, temporary } from "../server.ts";
import { type HeapSnapshot, type Kind, kindsOf } from "./kinds.ts";

/** The memory of a server after all garbage was collected, in megabytes. */
export interface Memory {
  heap: number;
  /** Outside of the heap, but owned by objects in it, such as buffers. */
  external: number;
  resident: number;
}

export interface ProbedHeap extends ServerProcess {
  memory(): Promise<Memory>;
  /** The contents of the heap. The look leaves some megabytes behind that are resident for a while. */
  kinds(): Promise<Map<string, Kind>>;
}

const MB = 1024 * 1024;

/** A directory for the snapshots, for somebody who looks for the cause of a growth. */
const KEPT = process.env.PARLEY_TEST_HEAPS;

const PROBE = fileURLToPath(new URL("./probe.mjs", import.meta.url));

/** A server in a process of its own, whose heap can be looked at by a module that is loaded into it. */
export async function startProbedHeap(t: Cleanup, flags: readonly string[], imports = PROBE): Promise<ProbedHeap> {
  const home = await temporary(t, "parley-heap-");
  const file = join(await temporary(t, "parley-heap-probe-"), "probe");
  const [wish, written] = [`${file}.wish`, `${file}.heapsnapshot`];
  const server = await startProcess({
    home,
    flags,
    imports,
    env: { PARLEY_TEST_PROBE: file },
  });
  t.after(async () => void (await server.end("SIGTERM")));
  let looks = 0;
  return {
    ...server,
    async memory() {
      const { heapUsed, external, rss } = await askProbe<NodeJS.MemoryUsage>(server.child, file);
      return { heap: heapUsed / MB, external: external / MB, resident: rss / MB };
    },
    async kinds() {
      await writeFile(wish, "");
      await askProbe(server.child, file);
      if (KEPT !== undefined) await copyFile(written, join(KEPT, `${server.pid}-${++looks}.heapsnapshot`));
      const kinds = kindsOf(JSON.parse(await readFile(written, "utf8")) as HeapSnapshot);
      await Promise.all([rm(wish), rm(written)]);
      return kinds;
    },
  };
}
