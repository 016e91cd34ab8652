import type { Hubs } from "./follow/hubs.ts";
import type { Gate } from "./gate/gate.ts";
import type { Servers } from "./serve/contract.ts";

/** The things that all sessions share. */
export interface SessionOptions {
  servers: Servers;
  hubs: Hubs;
  /** Where servers that Parley starts ask before each call. */
  gate: Gate | undefined;
  /** Rejects where the program would run code of a directory that is not trusted. */
  assertHarmless(directory: string): Promise<void>;
}
