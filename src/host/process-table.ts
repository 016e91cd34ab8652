import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The facts that are written down of a running program, for the boot after a crash. */
export interface ProcessEntry {
  pid: number;
  start: string;
  session: string;
  argv: readonly string[];
  /** The mark of all processes that it started; absent in entries of an older Parley. */
  number?: string;
  /** Epoch milliseconds. */
  time: number;
}

export interface ProcessTable {
  add(entry: ProcessEntry): void;
  remove(pid: number): void;
  list(): ProcessEntry[];
  /** Forgets every entry; returns how many there were. */
  clear(): number;
}

const FILE_NAME = /^\d+\.json$/;

function isEntry(value: unknown): value is ProcessEntry {
  if (typeof value !== "object" || value === null) return false;
  const { pid, start, session, argv } = value as Partial<Record<keyof ProcessEntry, unknown>>;
  return Number.isInteger(pid) && typeof start === "string" && typeof session === "string" && Array.isArray(argv);
}

function readEntry(path: string): ProcessEntry | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isEntry(value) ? value : undefined;
  } catch {
    // Torn by the crash, or removed by its owner just now.
    return undefined;
  }
}

/** One small file for each running program. */
export function createProcessTable(directory: string): ProcessTable {
  const pathOf = (pid: number): string => join(directory, `${pid}.json`);
  const names = (): string[] => {
    try {
      return readdirSync(directory).filter((name) => FILE_NAME.test(name));
    } catch {
      return [];
    }
  };
  return {
    add(entry) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(pathOf(entry.pid), JSON.stringify(entry), { mode: 0o600 });
    },
    remove(pid) {
      rmSync(pathOf(pid), { force: true });
    },
    list() {
      return names().flatMap((name) => readEntry(join(directory, name)) ?? []);
    },
    clear() {
      const found = names();
      for (const name of found) rmSync(join(directory, name), { force: true });
      return found.length;
    },
  };
}
