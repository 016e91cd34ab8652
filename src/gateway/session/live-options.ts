import type { Agent } from "../../agents/contract.ts";
import type { LedgerState } from "../../core/ledger/state.ts";
import type { Hold, NewSession } from "../../log/contract.ts";
import type { ServingAgent } from "../agent/serving-agent.ts";
import type { Attachments } from "../attachments.ts";
import type { IdleAgents } from "../idle/idle-agents.ts";
import type { GatewayOptions } from "../options.ts";
import type { TurnMetrics } from "../turn-metrics.ts";
import type { Kin } from "./kin.ts";

/** The session itself, and the things that it shares with other sessions. */
export interface LiveOptions {
  id: string;
  /** For a sub-agent's session: the session that it works for, and the topmost such session. */
  parent: string | undefined;
  root: string | undefined;
  ledger: LedgerState;
  /** The right to write to it, or the session that its first events create. */
  stored: Hold | NewSession;
  /** Its events are not given earlier times. */
  notBefore?: number | undefined;
  /** Absent for a sub-agent's session, which the agent of its root serves. */
  agent: Agent | undefined;
  /** For a sub-agent's session: the agent of its root. */
  rootAgent?: ServingAgent;
  kin: Kin;
  gateway: GatewayOptions;
  metrics: TurnMetrics;
  attachments: Attachments;
  idleAgents: IdleAgents;
}
