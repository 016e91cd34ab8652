import { openSync } from "node:fs";

/**
 * node-pty leaves our side of a terminal open in every program that is started after it: an agent could then read and
 * type in the user's terminal. Node cannot mark a file descriptor as ours alone, so each program gets /dev/null in its
 * place instead.
 */
const masters = new Set<number>();
let nowhere: number | undefined;

export function guardMaster(descriptor: number): () => void {
  masters.add(descriptor);
  return () => masters.delete(descriptor);
}

type Standard = "pipe" | "ignore";

/** How a program's streams are to be given to `spawn`, so that it gets nobody's terminal. */
export function guardedStdio(standard: readonly [Standard, Standard, Standard]): (Standard | number)[] {
  const stdio: (Standard | number)[] = [...standard];
  if (masters.size === 0) return stdio;
  nowhere ??= openSync("/dev/null", "r+");
  for (let at = stdio.length; at <= Math.max(...masters); at++) stdio.push(masters.has(at) ? nowhere : "ignore");
  return stdio;
}
