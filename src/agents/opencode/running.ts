import type { OpenOptions } from "../contract.ts";
import type { Said } from "../program/read-lines.ts";
import type { Api } from "./api.ts";
import { ABORT_MS, stopWork } from "./asks.ts";
import { Translator } from "./decode/translator.ts";
import { Follower } from "./follow/follower.ts";
import type { Hub } from "./follow/hubs.ts";
import { CallGuard } from "./gate/call-guard.ts";
import type { Gate, Gatekeeper } from "./gate/gate.ts";
import { Giver } from "./give.ts";
import { MessageIds } from "./message-id.ts";
import type { OpenedSession } from "./open-session.ts";
import type { Lease } from "./serve/contract.ts";
import { SessionRules } from "./session-rules.ts";

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

export interface Assembly {
  open: OpenOptions;
  gate: Gate | undefined;
  lease: Lease;
  hub: Hub;
  opened: OpenedSession;
  /** Aborted when the session is over. */
  signal: AbortSignal;
  say(said: readonly Said[], native?: string): void;
  /** The server cannot be reached any more. */
  onUnreachable(): void;
}

/** Puts the parts of an open session together. */
export function assemble({ open, gate, lease, hub, opened, signal, say, onUnreachable }: Assembly): Running {
  const { server } = lease;
  const { id, floor, ruled } = opened;
  const { directory, rules: sessionRules = () => [] } = open;
  const { api } = hub;
  const rules = new SessionRules({ api, id, isGated: server.gate !== undefined, kept: ruled, rules: sessionRules });
  const translator = new Translator({ root: id, directory, floor, isIntent: (request) => rules.isIntent(request) });
  const guard = new CallGuard({
    directory,
    isOpen: (session) => translator.mayCall(session),
    isComing: (session) => translator.isComing(session),
    keyOf: ({ session, call }) => translator.callKey(session, call),
    refused: ({ session, call }) => translator.refuseCall(session, call),
    say: (session, signal) => say([translator.about(session, signal)]),
  });
  const stop = (): Promise<void> => stopWork(api, id, ABORT_MS);
  const follower = new Follower({ hub, translator, session: id, say, stop, onUnreachable });
  const keeper: Gatekeeper = {
    owns: (session) => follower.owns(session),
    lookUp: (session) => follower.lookUp(session),
    hear: (call) => guard.hear(call),
  };
  if (server.gate !== undefined) gate?.join(keeper);
  const giver = new Giver({ api, id, follower, directory, signal });
  return { id, lease, api, translator, follower, giver, guard, keeper, rules, ids: new MessageIds(server.own) };
}
