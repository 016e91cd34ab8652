import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { LineProcess, ProcessHost } from "../../src/host/contract.ts";
import { createProcessHost } from "../../src/host/process-host.ts";
import { isRunning, startTime } from "../../src/host/process-identity.ts";

export async function tempDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "parley-host-"));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export async function makeHost(t: TestContext, instance = "test"): Promise<{ host: ProcessHost; directory: string }> {
  const directory = await tempDirectory(t);
  const plain = createProcessHost({ runDirectory: join(directory, "run"), instance });
  const started: LineProcess[] = [];
  t.after(() => Promise.all(started.map((one) => one.kill(0))));
  const host: ProcessHost = {
    spawn(spec, events) {
      const one = plain.spawn(spec, events);
      started.push(one);
      return one;
    },
  };
  return { host, directory };
}

export function fixture(name: string, ...args: string[]): [string, ...string[]] {
  return [process.execPath, fileURLToPath(new URL(`../fixtures/agents/${name}.mjs`, import.meta.url)), ...args];
}

/** Collects lines and lets a test wait for one. */
export function collector() {
  const lines: string[] = [];
  const oversize: number[] = [];
  const waiting = new Set<() => void>();
  const changed = (): void => {
    for (const look of waiting) look();
  };
  return {
    lines,
    oversize,
    events: {
      line(text: string) {
        lines.push(text);
        changed();
      },
      oversize(bytes: number) {
        oversize.push(bytes);
        changed();
      },
    },
    /** Resolves with the first line that passes. */
    line(passes: (text: string) => boolean): Promise<string> {
      return new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find(passes);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      });
    },
  };
}

export interface Identity {
  pid: number;
  start: string;
}

export function identify(pid: number): Identity {
  const start = startTime(pid);
  if (start === undefined) throw new Error(`expected process ${pid} to run`);
  return { pid, start };
}

export const alive = (one: Identity): boolean => isRunning(one.pid, one.start);
