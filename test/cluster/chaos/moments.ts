import { setTimeout as delay } from "node:timers/promises";

export type Pause = (ms: number) => Promise<void>;

/** Clients and faults come at random moments. A pause ends early with the signal. */
export function pauser(signal?: AbortSignal): Pause {
  return async (ms) => {
    await delay(ms, undefined, { signal }).catch(() => undefined);
  };
}
