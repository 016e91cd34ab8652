// Loaded into a server before its program. At SIGUSR2 it collects all garbage and writes its memory into the file that
// PARLEY_TEST_PROBE names; before that, where there is a file .wish beside it, a snapshot of the heap into .heapsnapshot.
import { closeSync, existsSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";

const file = process.env.PARLEY_TEST_PROBE;

/** Objects that finalizers let go are garbage of the next collection. */
const COLLECTIONS = 4;

async function collect(session) {
  for (let count = 0; count < COLLECTIONS; count++) {
    await session.post("HeapProfiler.collectGarbage");
    await nextTurn();
  }
}

async function writeSnapshot(session) {
  const snapshot = openSync(`${file}.heapsnapshot`, "w");
  session.on("HeapProfiler.addHeapSnapshotChunk", ({ params }) => writeSync(snapshot, params.chunk));
  await session.post("HeapProfiler.takeHeapSnapshot");
  closeSync(snapshot);
}

async function look() {
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.enable");
  await collect(session);
  if (existsSync(`${file}.wish`)) await writeSnapshot(session);
  // Without this V8 would go on keeping a number for each object.
  await session.post("HeapProfiler.disable");
  session.disconnect();
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()));
  renameSync(`${file}.new`, file);
}

if (isMainThread && file !== undefined) process.on("SIGUSR2", () => void look());
