import type { Handler, UpgradeHandler } from "./request-context.ts";

/** A surface that is imported when its first request comes. */
export interface Mount {
  match(path: string): boolean;
  load(): Promise<Handler>;
  loadUpgrade?(): Promise<UpgradeHandler>;
}

export interface Mounts {
  handler(path: string): Promise<Handler> | undefined;
  upgrade(path: string): Promise<UpgradeHandler> | undefined;
  /** Loads everything ahead of its first use. */
  warm(): Promise<void>;
}

/** Loads once for all; a failed load is tried again by the next request. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((thrown: unknown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}

/** The first mount that matches a path has it. */
export function createMounts(mounts: readonly Mount[]): Mounts {
  const loaders = mounts.map((mount) => ({
    match: (path: string) => mount.match(path),
    load: once(() => mount.load()),
    loadUpgrade: mount.loadUpgrade && once(mount.loadUpgrade.bind(mount)),
  }));
  return {
    handler: (path) => loaders.find((loader) => loader.match(path))?.load(),
    upgrade: (path) => loaders.find((loader) => loader.loadUpgrade && loader.match(path))?.loadUpgrade?.(),
    async warm() {
      await Promise.all(loaders.flatMap((loader) => [loader.load(), loader.loadUpgrade?.()]));
    },
  };
}
