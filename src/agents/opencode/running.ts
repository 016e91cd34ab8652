import type { Fields } from "../../core/json/fields.ts";
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
  readonly hub: Hub;
  /** Aborted when it is left. */
  readonly signal: AbortSignal;
  /** Lets the server go, and tells nothing more. */
  leave(): void;
}

export interface Assembly {
  open: OpenOptions;
  gate: Gate | undefined;
  lease: Lease;
  hub: Hub;
  opened: OpenedSession;
  /** The one that has told of the session on a server that is gone. */
  translator?: Translator;
  /** Aborted when the session is over. */
  closing: AbortSignal;
  isIntent(request: Fields): boolean;
  say(said: readonly Said[], native?: string): void;
  /** The server cannot be reached any more. */
  onUnreachable(): void;
  onLeave(): void;
}

/** Puts the parts of an open session together. */
export function assemble(assembly: Assembly): Running {
  const { open, gate, lease, hub, opened, closing, isIntent, say, onUnreachable, onLeave } = assembly;
  const { server } = lease;
  const { id, floor, ruled } = opened;
  const { directory, rules: sessionRules = () => [] } = open;
  const { api } = hub;
  const rules = new SessionRules({ api, id, isGated: server.gate !== undefined, kept: ruled, rules: sessionRules });
  const translator = assembly.translator ?? new Translator({ root: id, directory, floor, isIntent });
  const left = new AbortController();
  const signal = AbortSignal.any([closing, left.signal]);
  const guard = new CallGuard({
    directory,
    isOpen: (session) => translator.mayCall(session),
    isComing: (session) => translator.isComing(session),
    keyOf: ({ session, call }) => translator.callKey(session, call),
    refused: ({ session, call }) => translator.refuseCall(session, call),
    say: (session, signal) => say([translator.about(session, signal)]),
  });
  const stop = (): Promise<void> => stopWork(api, id, ABORT_MS);
  const follower = new Follower({
    hub,
    translator,
    session: id,
    isNew: !opened.resumed && server.own,
    say,
    stop,
    onUnreachable,
    frozen: () => server.frozen?.() ?? false,
  });
  const keeper: Gatekeeper = {
    owns: (session) => follower.owns(session),
    lookUp: (session) => follower.lookUp(session),
    hear: (call) => guard.hear(call),
  };
  if (server.gate !== undefined) gate?.join(keeper);
  const giver = new Giver({ api, id, follower, directory, signal });
  const leave = (): void => {
    left.abort();
    onLeave();
    follower.close();
    guard.refuseAll();
    gate?.leave(keeper);
    lease.release();
  };
  const ids = new MessageIds(server.own);
  return { id, lease, api, translator, follower, giver, guard, keeper, rules, ids, hub, signal, leave };
}
