// Loaded into a server before its program: how long its event loop was held up at most, written at SIGUSR2 to the file
// that PARLEY_TEST_PROBE names. `cpu` is what the main thread itself worked meanwhile, and so says nothing of a busy machine.
import { renameSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.PARLEY_TEST_PROBE;
const cpuNow = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

if (isMainThread && file !== undefined) {
  let worst = { wall: 0, cpu: 0 };
  let wall = performance.now();
  let cpu = cpuNow();
  setInterval(() => {
    worst = { wall: Math.max(worst.wall, performance.now() - wall), cpu: Math.max(worst.cpu, cpuNow() - cpu) };
    wall = performance.now();
    cpu = cpuNow();
  }, 2).unref();
  process.on("SIGUSR2", () => {
    writeFileSync(`${file}.new`, JSON.stringify(worst));
    renameSync(`${file}.new`, file);
    worst = { wall: 0, cpu: 0 };
  });
}
