import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { type AcpAgentOptions, createAcpAgent } from "../../../src/agents/acp/agent.ts";
import type { Agent, OpenOptions } from "../../../src/agents/contract.ts";
import type { Fields } from "../../../src/core/json/fields.ts";
import { restore } from "../../../src/core/ledger/restore.ts";
import type { Signal } from "../../../src/core/ledger/signals.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "../../core/ledger/world.ts";
import { makePlace } from "../contract/rigs.ts";
import { type ContractRig, Watched } from "../contract/watched.ts";

const PROGRAM = fileURLToPath(new URL("../../fixtures/agents/acp-as-told.mjs", import.meta.url));

export interface Stage {
  rig: ContractRig;
  directory: string;
  open(options?: Partial<OpenOptions>): Promise<Watched>;
  /** Opens without waiting until it is ready. */
  begin(options?: Partial<OpenOptions>): Watched;
}

/** The stand-in behind the adapter; `told` says how it answers requests. */
export async function setStage(t: TestContext, told: Fields = {}, more: Partial<AcpAgentOptions> = {}): Promise<Stage> {
  const { host, directory, processes } = await makePlace(t);
  const agent: Agent = createAcpAgent({
    name: "stand-in",
    title: "Stand-in",
    argv: [process.execPath, PROGRAM],
    host,
    ...more,
    env: { STAND_IN: JSON.stringify(told), ...more.env },
  });
  const rig: ContractRig = { agent, directory, processes };
  const begin = (options: Partial<OpenOptions> = {}): Watched => new Watched(rig, { trusted: true, ...options });
  return { rig, directory, begin, open: (options) => begin(options).ready() };
}

/** A prompt that the stand-in plays: its steps, and the answer to it. */
export function played(
  steps: readonly object[],
  end: object = { stopReason: "end_turn" },
  after: object[] = [],
): string {
  return JSON.stringify({ steps, end, after });
}

export const update = (sessionUpdate: string, facts: object = {}): object => ({ update: { sessionUpdate, ...facts } });
export const words = (text: string, facts: object = {}): object =>
  update("agent_message_chunk", { content: { type: "text", text }, ...facts });

/** The agent's words of the turns so far. */
export function said(watched: Watched, kind: "message" | "reasoning" = "message"): string {
  return watched
    .all("text")
    .filter((signal) => signal.kind === kind)
    .map(({ delta }) => delta)
    .join("");
}

/** The laws that the signals break, told to a ledger with a prompt for each turn. */
export function broken(signals: readonly Signal[]): unknown[] {
  const world = new World({ step, newLedger, restore });
  let prompts = 0;
  const prompt = (): void => {
    world.command({ type: "prompt", prompt: { id: `msg_${++prompts}`, parts: [{ type: "text", text: "go" }] } });
  };
  prompt();
  for (const signal of signals) {
    if (world.state.turn === null && signal.type === "text") prompt();
    world.signal(signal);
    world.fireTimers();
  }
  return world.broken();
}
