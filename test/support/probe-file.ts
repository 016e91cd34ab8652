import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** Asks a probe inside a server, by SIGUSR2, and waits for the file in which it answers. */
export async function askProbe<T>(child: ChildProcess, file: string): Promise<T> {
  const watcher = watch(dirname(file));
  const done = new AbortController();
  const ended = once(child, "exit", { signal: done.signal }).then(
    () => "ended" as const,
    () => undefined,
  );
  try {
    // Listening begins before each look, so that no change is missed between the two.
    let changed = once(watcher, "change");
    child.kill("SIGUSR2");
    for (;;) {
      const found = await readFile(file, "utf8").catch(() => undefined);
      if (found !== undefined) return JSON.parse(found) as T;
      const next = await Promise.race([changed, ended]);
      if (next === "ended") throw new Error("the server ended before its probe answered");
      changed = once(watcher, "change");
    }
  } finally {
    done.abort();
    watcher.close();
    await rm(file, { force: true });
  }
}
