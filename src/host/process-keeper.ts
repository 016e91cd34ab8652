import { randomBytes, randomInt } from "node:crypto";
import { messageOf } from "../core/errors.ts";
import { endProcesses } from "./end-processes.ts";
import { familyOf, type Root } from "./family.ts";
import { numberLater, type Start, withNumber } from "./marks/launcher.ts";
import { numberOf, RUNS } from "./marks/limit-mark.ts";
import { processInfo } from "./process-identity.ts";
import { createProcessTable, type ProcessTable } from "./process-table.ts";

export interface KeeperOptions {
  /** Where the table of running programs is kept. */
  runDirectory: string;
  /** Stable id of the data directory: by it a later boot knows its own strays. Holds no colon. */
  instance: string;
  /** No program starts after this. */
  over?: AbortSignal;
  log?: (message: string, details: Record<string, unknown>) => void;
}

/** The facts that are written down of a program before it starts. */
export interface Kept {
  argv: readonly string[];
  /** The session or terminal that it serves: part of the mark. */
  session: string;
  /** The signal that asks it to end: a shell at a terminal ignores TERM, but ends by a hang-up. */
  gentle?: "SIGTERM" | "SIGHUP";
  /** See `SpawnSpec`. */
  hurried?: boolean;
}

export interface ProcessWatcher {
  /** The command that starts it so that all it starts can be found again. */
  launch(start: Start): Start["argv"];
  /** Right after the start, before anything is read. */
  onStart(pid: number): void;
  /** The program itself has exited; its children may run on. */
  onExit(): void;
  end(graceMs: number): Promise<void>;
}

export interface Keeping {
  /** The value of `PARLEY_MARK` for it. */
  mark: string;
  watcher: ProcessWatcher;
}

const SWEEP_GRACE_MS = 2000;

type Log = NonNullable<KeeperOptions["log"]>;

/** `<instance>:<session>:<run>`; the run keeps a program's end from touching its successor in the same session. */
function makeMark(instance: string, session: string): string {
  return `${instance}:${session}:${randomBytes(4).toString("hex")}`;
}

/** Counted for the whole process: two servers in it may have the same instance, one after the other. */
let lastRun = randomInt(RUNS);
const nextRun = (): number => {
  lastRun = (lastRun + 1) % RUNS;
  return lastRun;
};

/** Of a program that ended before anybody looked: what it started is younger than this process, and has its group and marks. */
function gone(): Pick<Root, "start" | "born"> {
  return { start: "", born: processInfo(process.pid)?.born ?? 0 };
}

interface Marks {
  mark: string;
  number: bigint;
}

interface Keeper {
  table: ProcessTable;
  log: Log;
  over?: AbortSignal | undefined;
}

function createWatcher(kept: Kept, { mark, number }: Marks, { table, log, over }: Keeper): ProcessWatcher {
  const { session, argv, gentle, hurried = false } = kept;
  const giveNumber = hurried ? numberLater(number) : undefined;
  let root: Root | undefined;

  // The table only helps a later boot: a full disk must not stop the start of a program.
  const note = (change: () => void): void => {
    try {
      change();
    } catch (error) {
      log("the process table could not be written", { session, reason: messageOf(error) });
    }
  };

  const end = async (graceMs: number): Promise<void> => {
    const known = root;
    if (!known) return;
    const left = await endProcesses(() => familyOf(known), graceMs, gentle);
    if (left.length === 0) note(() => table.remove(known.pid));
    else log("processes did not end", { session, pids: left.map((info) => info.pid) });
  };

  return {
    launch(start) {
      if (over?.aborted) throw new Error("the server that was to run it has ended");
      return giveNumber ? start.argv : withNumber(number, start);
    },
    onStart(pid) {
      giveNumber?.(pid);
      const { start, born } = processInfo(pid) ?? gone();
      root = { pid, start, born, mark, number };
      note(() => table.add({ pid, start, session, argv, number: String(number), time: Date.now() }));
    },
    onExit() {
      end(SWEEP_GRACE_MS).catch((error) => log("the sweep after an exit failed", { reason: messageOf(error) }));
    },
    end,
  };
}

/** Marks programs, writes them down while they run and ends all that they started. */
export function createKeeper(options: KeeperOptions): (kept: Kept) => Keeping {
  const table = createProcessTable(options.runDirectory);
  const { log = () => {}, over } = options;
  return (kept) => {
    const mark = makeMark(options.instance, kept.session);
    const number = numberOf(options.instance, nextRun());
    return { mark, watcher: createWatcher(kept, { mark, number }, { table, log, over }) };
  };
}
