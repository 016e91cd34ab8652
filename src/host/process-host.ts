import { randomBytes } from "node:crypto";
import { messageOf } from "../core/errors.ts";
import type { CommandHost, ProcessHost, SpawnSpec } from "./contract.ts";
import { endProcesses } from "./end-processes.ts";
import { familyOf, type Root } from "./family.ts";
import { type ProcessWatcher, startLineProcess } from "./line-process.ts";
import { processInfo } from "./process-identity.ts";
import { MARK_VARIABLE } from "./process-scan.ts";
import { createProcessTable, type ProcessTable } from "./process-table.ts";
import { runCommand } from "./run-command.ts";

export interface ProcessHostOptions {
  /** Where the table of running programs is kept. */
  runDirectory: string;
  /** Stable id of the data directory: by it a later boot knows its own strays. Holds no colon. */
  instance: string;
  log?: (message: string, details: Record<string, unknown>) => void;
}

const SWEEP_GRACE_MS = 2000;

type Log = NonNullable<ProcessHostOptions["log"]>;

/** `<instance>:<session>:<run>`; the run keeps a program's end from touching its successor in the same session. */
function makeMark(instance: string, session: string): string {
  return `${instance}:${session}:${randomBytes(4).toString("hex")}`;
}

function createWatcher(spec: SpawnSpec, mark: string, table: ProcessTable, log: Log): ProcessWatcher {
  let root: Root | undefined;

  // The table only helps a later boot: a disk that refuses must not stop the work of now.
  const note = (change: () => void): void => {
    try {
      change();
    } catch (error) {
      log("the process table could not be written", { session: spec.session, reason: messageOf(error) });
    }
  };

  const end = async (graceMs: number): Promise<void> => {
    const known = root;
    if (!known) return;
    const left = await endProcesses(() => familyOf(known), graceMs);
    if (left.length === 0) note(() => table.remove(known.pid));
    else log("processes did not end", { session: spec.session, pids: left.map((info) => info.pid) });
  };

  return {
    onStart(pid) {
      const info = processInfo(pid);
      if (!info) return;
      root = { pid, start: info.start, born: info.born, mark };
      note(() => table.add({ pid, start: info.start, session: spec.session, argv: spec.argv, time: Date.now() }));
    },
    onExit() {
      end(SWEEP_GRACE_MS).catch((error) => log("the sweep after an exit failed", { reason: messageOf(error) }));
    },
    end,
  };
}

export function createProcessHost(options: ProcessHostOptions): ProcessHost & CommandHost {
  const table = createProcessTable(options.runDirectory);
  const log = options.log ?? (() => {});
  const prepare = <S extends SpawnSpec>(spec: S): { marked: S; watcher: ProcessWatcher } => {
    const mark = makeMark(options.instance, spec.session);
    const marked = { ...spec, env: { ...spec.env, [MARK_VARIABLE]: mark } };
    return { marked, watcher: createWatcher(spec, mark, table, log) };
  };
  return {
    spawn(spec, events) {
      const { marked, watcher } = prepare(spec);
      return startLineProcess(marked, events, watcher);
    },
    run(spec, events) {
      const { marked, watcher } = prepare(spec);
      return runCommand(marked, events, watcher);
    },
  };
}
