import type { Agent, ChildRef } from "../../agents/contract.ts";
import type { PermissionRule } from "../../core/events/values.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { LedgerState } from "../../core/ledger/state.ts";
import type { NewSession } from "../../log/contract.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import type { Attachments } from "../attachments.ts";
import type { IdleAgents } from "../idle/idle-agents.ts";
import type { GatewayOptions } from "../options.ts";
import type { TurnMetrics } from "../turn-metrics.ts";

/** What a live session is made of, and what it tells whoever keeps it. */
export interface LiveOptions {
  id: string;
  /** For a sub-agent's session: the session that it works for, and the topmost such session. */
  parent: string | undefined;
  root: string | undefined;
  ledger: LedgerState;
  /** The number of its newest event. */
  last: number;
  /** Set for a session whose first event is still to be stored. */
  create?: NewSession;
  /** Absent for a sub-agent's session, which is served by its parent's agent. */
  agent: Agent | undefined;
  /** For a sub-agent's session: who serves it, being the agent of the session it belongs to. */
  lender?: ServingAgent;
  gateway: GatewayOptions;
  metrics: TurnMetrics;
  attachments: Attachments;
  idleAgents: IdleAgents;
  toChild(signal: Signal, native: string | undefined, child: ChildRef): void;
  /** Whether a sub-agent of it still works. */
  childrenBusy(): boolean;
  /** It has other rules from now on. */
  onRules(rules: readonly PermissionRule[]): void;
  onExit(signal: Signal): void;
  /** A turn of it ended in another way than by itself. */
  onCutShort(reason: "cancelled" | "interrupted"): void;
  /** It has nothing to do and no agent: it may be forgotten. */
  onRest(): void;
}
