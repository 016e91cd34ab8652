import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** What is never looked into: it is big, and not what somebody wrote. */
export const SKIPPED: readonly string[] = [".git", "node_modules"];
const MAX_ENTRIES = 200_000;

/** All files below a directory, by their paths from it. Links are not followed. */
export async function* walk(root: string, signal: AbortSignal): AsyncGenerator<string> {
  const waiting = [""];
  let seen = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const directory = await opendir(join(root, path)).catch(() => undefined);
    if (!directory) continue;
    for await (const entry of directory) {
      signal.throwIfAborted();
      if (++seen > MAX_ENTRIES) return;
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.includes(entry.name)) waiting.push(inner);
      else if (entry.isFile()) yield inner;
    }
  }
}
