import type { CommandHost, Freezer, ProcessHost, SpawnSpec } from "./contract.ts";
import { startLineProcess } from "./line-process.ts";
import { createKeeper, type KeeperOptions, type ProcessWatcher } from "./process-keeper.ts";
import { MARK_VARIABLE } from "./process-scan.ts";
import { freezeNow } from "./reaper.ts";
import { runCommand } from "./run-command.ts";

export function createProcessHost(options: KeeperOptions): ProcessHost & CommandHost & Freezer {
  const keep = createKeeper(options);
  const prepare = <S extends SpawnSpec>(spec: S): { marked: S; watcher: ProcessWatcher } => {
    const { mark, watcher } = keep(spec);
    return { marked: { ...spec, env: { ...spec.env, [MARK_VARIABLE]: mark } }, watcher };
  };
  let frozen = false;
  return {
    frozen: () => frozen,
    freeze(stopped) {
      frozen = stopped;
      freezeNow(options, stopped);
    },
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
