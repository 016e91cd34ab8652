import { once } from "../once.ts";
import type { Handler, UpgradeHandler } from "./request-context.ts";

/** A surface that is imported when its first request comes. */
export interface Mount {
  match(path: string): boolean;
  load(): Promise<Handler>;
  /** Whether it is imported ahead of its first request, because every client uses it. */
  early?: boolean;
  loadUpgrade?(): Promise<UpgradeHandler>;
  /**
   * Whether an upgrade shows a ticket in place of the token. Its handler then gets it with `authenticated` false and
   * must look at the ticket itself.
   */
  takesTicket?(target: string): boolean;
}

export type Mounts = ReturnType<typeof createMounts>;

/** The first mount that matches a path has it. */
export function createMounts(mounts: readonly Mount[]) {
  const loaders = mounts.map((mount) => ({
    early: mount.early === true,
    match: (path: string) => mount.match(path),
    load: once(() => mount.load()),
    loadUpgrade: mount.loadUpgrade && once(mount.loadUpgrade.bind(mount)),
    takesTicket: (target: string) => mount.takesTicket?.(target) ?? false,
  }));
  const upgrading = (path: string) => loaders.find((loader) => loader.loadUpgrade && loader.match(path));
  return {
    handler: (path: string) => loaders.find((loader) => loader.match(path))?.load(),
    upgrade: (path: string) => upgrading(path)?.loadUpgrade?.(),
    takesTicket: (path: string, target: string) => upgrading(path)?.takesTicket(target) ?? false,
    /** Loads the early ones. */
    async warm() {
      await Promise.all(loaders.filter(({ early }) => early).map(({ load }) => load()));
    },
  };
}
