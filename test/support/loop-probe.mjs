// Loaded into a server before its program: how long its event loop was held up at most, written at SIGUSR2 to the file
// that PARLEY_TEST_PROBE names. `cpu` is what the main thread itself worked meanwhile, and so says nothing of a busy machine.
// `waited` is how long it could have worked at most and had no processor, where the system says it (Linux).
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.PARLEY_TEST_PROBE;
const cpuNow = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const waitedNow = () => {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[1]) / 1_000_000;
  } catch {
    return 0;
  }
};

if (isMainThread && file !== undefined) {
  const NONE = { wall: 0, cpu: 0, waited: 0 };
  let worst = NONE;
  let wall = performance.now();
  let cpu = cpuNow();
  let waited = waitedNow();
  setInterval(() => {
    worst = {
      wall: Math.max(worst.wall, performance.now() - wall),
      cpu: Math.max(worst.cpu, cpuNow() - cpu),
      waited: Math.max(worst.waited, waitedNow() - waited),
    };
    wall = performance.now();
    cpu = cpuNow();
    waited = waitedNow();
  }, 2).unref();
  process.on("SIGUSR2", () => {
    writeFileSync(`${file}.new`, JSON.stringify(worst));
    renameSync(`${file}.new`, file);
    worst = NONE;
  });
}
