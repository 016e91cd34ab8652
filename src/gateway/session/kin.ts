import type { ChildRef } from "../../agents/contract.ts";
import type { PermissionRule } from "../../core/events/values.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { Grant } from "../../core/session-state.ts";
import type { Inbox } from "./inbox.ts";

/** The sessions around a session: those of its sub-agents, and the one that it works for. */
export interface Kin {
  /** The inbox of a sub-agent's session, which is made when it is first heard of. */
  inboxOf(child: ChildRef): Inbox;
  /** Whether a sub-agent still works. */
  busy(): boolean;
  /** Puts a signal into the inboxes of all sub-agents' sessions. */
  tell(signal: Signal): void;
  /** New rules of the session hold for its sub-agents, too. */
  giveRules(rules: readonly PermissionRule[]): void;
  /** An "always" that was given on the session holds for its sub-agents, too. */
  giveGrant(grant: Grant): void;
  /** The session has nothing to do and no agent: it may leave memory, and the one that it works for may rest. */
  rest(): void;
}
