import type { Agent, AgentSession, OpenOptions } from "../../../src/agents/contract.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { PATIENCE_MS } from "../../support/time.ts";
import type { Check } from "./suite.ts";
import type { ContractRig } from "./watched.ts";

export interface Misbehaviour {
  does: string;
  /** The check that must notice it, and the words with which it does. */
  check: Check;
  noticed: RegExp;
  spoil(rig: ContractRig): ContractRig;
}

export type Emit = OpenOptions["emit"];
export type Spoiler = (session: AgentSession, emit: Emit, open: OpenOptions) => Partial<AgentSession>;

export const WORD: Signal = { type: "text", item: "late", kind: "message", role: "assistant", delta: "late " };
export const EXIT: Signal = { type: "exited", code: 0, signal: null, stderr: [] };
export const never = (): Promise<never> => new Promise(() => {});

export function spoilAgent(agent: Agent, change: Spoiler, hear?: (emit: Emit) => Emit): Agent {
  const open = (options: OpenOptions): AgentSession => {
    const session = agent.open(hear ? { ...options, emit: hear(options.emit) } : options);
    return { ...session, ...change(session, options.emit, options) };
  };
  return { ...agent, open };
}

/** The agent of the rig with some of its calls done badly. */
export const calls = (change: Spoiler) => (rig: ContractRig) => ({ ...rig, agent: spoilAgent(rig.agent, change) });
/** The agent of the rig with its signals passed on badly. */
export const signals = (hear: (emit: Emit) => Emit) => (rig: ContractRig) => ({
  ...rig,
  agent: spoilAgent(rig.agent, () => ({}), hear),
});
/** An agent that does not begin as it should. */
export const starts =
  (which: "unstartable" | "silent" | "forgetful", ready: () => Promise<void>) => (rig: ContractRig) => ({
    ...rig,
    [which]: spoilAgent(rig[which] ?? rig.agent, () => ({ ready })),
  });
export const withoutExit =
  (emit: Emit): Emit =>
  (signal, ...rest) => {
    if (signal.type !== "exited") emit(signal, ...rest);
  };
/** The rig with little patience for a wait that never ends with this misbehaviour. A busy machine may take its time for all others. */
export const hasty = (what: RegExp, rig: ContractRig): ContractRig => ({
  ...rig,
  patienceMs: (asked) => (what.test(asked) ? 250 : PATIENCE_MS),
});
