import type { Api } from "./api.ts";
import type { Translator } from "./decode/translator.ts";
import type { Follower } from "./follow/follower.ts";
import type { Hubs } from "./follow/hubs.ts";
import type { CallGuard } from "./gate/call-guard.ts";
import type { Gate, Gatekeeper } from "./gate/gate.ts";
import type { Giver } from "./give.ts";
import type { MessageIds } from "./message-id.ts";
import type { Lease, Servers } from "./serve/contract.ts";
import type { SessionRules } from "./session-rules.ts";

/** The things that all sessions share. */
export interface SessionOptions {
  servers: Servers;
  hubs: Hubs;
  /** Where servers that Parley starts ask before each call. */
  gate: Gate | undefined;
  /** Rejects where the program would run code of a directory that is not trusted. */
  assertHarmless(directory: string): Promise<void>;
}

/** The parts that are there once the session is open. */
export interface Running {
  readonly id: string;
  readonly lease: Lease;
  readonly api: Api;
  readonly translator: Translator;
  readonly follower: Follower;
  readonly giver: Giver;
  readonly guard: CallGuard;
  readonly keeper: Gatekeeper;
  readonly rules: SessionRules;
  readonly ids: MessageIds;
}
