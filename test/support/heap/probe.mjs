// Loaded into a server before its program. At SIGUSR2 it collects all garbage, writes a snapshot of the heap beside the
// file that PARLEY_TEST_PROBE names, and into that file the memory that the server had before it.
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

const file = process.env.PARLEY_TEST_PROBE;

/** What finalizers let go is garbage of the next collection. */
const COLLECTIONS = 4;

async function collect(session) {
  for (let count = 0; count < COLLECTIONS; count++) {
    await session.post("HeapProfiler.collectGarbage");
    await nextTurn();
  }
}

async function look() {
  const session = new Session();
  session.connect();
  const snapshot = openSync(`${file}.heapsnapshot`, "w");
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ params }) => writeSync(snapshot, params.chunk));
  await session.post("HeapProfiler.enable");
  await collect(session);
  // The snapshot itself takes memory, so that it comes after the look at it.
  const memory = JSON.stringify(process.memoryUsage());
  await session.post("HeapProfiler.takeHeapSnapshot");
  // Without this V8 would go on keeping a number for each object.
  await session.post("HeapProfiler.disable");
  await collect(session);
  closeSync(snapshot);
  session.disconnect();
  writeFileSync(`${file}.new`, memory);
  renameSync(`${file}.new`, file);
}

if (isMainThread && file !== undefined) process.on("SIGUSR2", () => void look());
