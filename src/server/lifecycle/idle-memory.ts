import { collectAll } from "../../host/garbage.ts";

const LOOK_MS = 2_000;
/** Processor time in one look below which nothing is going on. */
const QUIET_MS = 40;

/** Whether a collection is owed for work that was done, and whether now is the time for it. */
export interface Look {
  owed: boolean;
  tidy: boolean;
}

/** Once after each time of work, when it is over. A collection is work, too, which must not ask for another one. */
export function nextLook(before: Look, workedMs: number): Look {
  if (before.tidy) return { owed: false, tidy: false };
  if (workedMs >= QUIET_MS) return { owed: true, tidy: false };
  return { owed: false, tidy: before.owed };
}

/** V8 gives memory back only after a collection, and a process without work never has one. */
export function giveMemoryBackWhenIdle(): () => void {
  let look: Look = { owed: true, tidy: false };
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    look = nextLook(look, (user + system) / 1000);
    if (look.tidy) collectAll();
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}
