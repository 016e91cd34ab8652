import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** Directories that are never looked into: they are big, and nobody wrote their files by hand. */
export const SKIPPED: readonly string[] = [".git", "node_modules"];
const MAX_ENTRIES = 200_000;

export interface WalkOptions {
  signal: AbortSignal;
  /** How many entries are looked at, 200,000 unless said otherwise. */
  max?: number;
}

export interface Walked {
  /** From the directory, with slashes. */
  path: string;
  directory: boolean;
}

/** Files and directories below a directory, the nearest first. Links are not followed. */
export async function* walk(root: string, { signal, max = MAX_ENTRIES }: WalkOptions): AsyncGenerator<Walked> {
  const waiting = [""];
  let seen = 0;
  // The list grows while it is gone through.
  for (const path of waiting) {
    const directory = await opendir(join(root, path)).catch(() => undefined);
    if (!directory) continue;
    for await (const entry of directory) {
      signal.throwIfAborted();
      if (++seen > max) return;
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isFile()) yield { path: inner, directory: false };
      if (!entry.isDirectory() || SKIPPED.includes(entry.name)) continue;
      waiting.push(inner);
      yield { path: inner, directory: true };
    }
  }
}
