import { type AgentChoice, type AgentSession, MustReopen } from "../../agents/contract.ts";
import { ParleyError } from "../../core/errors.ts";
import { within } from "../../core/within.ts";
import { type Choice, changeOf } from "./choice.ts";

/** How long it may take until a choice is in force: some load a model first, or ask a service. The session waits meanwhile, a cancel too. */
const CHOICE_MS = 10_000;

/** Not the caller's fault: the same choice may succeed later. */
function unanswered(change: AgentChoice): ParleyError {
  const seconds = CHOICE_MS / 1_000;
  const text = `the agent has not said within ${seconds} s whether it takes ${JSON.stringify(change)}: if it does so later, the session shows it then`;
  return new ParleyError("unavailable", text);
}

interface Running {
  agent: AgentSession;
  /** As it was opened, as it was told since, or as it says itself. Absent: not known. */
  readonly inForce: Choice;
}

/**
 * Puts a choice in force. It is compared with what the agent reports, not with what it was last told: agents change modes by themselves. `failed` gets the choice
 * of before where this one was refused.
 */
export async function putInForce(running: Running, choice: Choice, failed: (before: Choice) => void): Promise<void> {
  const { agent, inForce } = running;
  const change = changeOf(choice, inForce);
  if (Object.keys(change).length === 0) return;
  const before = { ...inForce };
  if (change.model !== undefined) delete inForce.model;
  if (change.mode !== undefined) delete inForce.mode;
  const options = Object.entries(inForce.options ?? {}).filter(([id]) => change.options?.[id] === undefined);
  inForce.options = Object.fromEntries(options);
  try {
    if (!(await within(agent.set(change), CHOICE_MS))) throw unanswered(change);
  } catch (error) {
    if (!(error instanceof MustReopen)) failed(before);
    throw error;
  }
  Object.assign(inForce, change, { options: { ...inForce.options, ...change.options } });
}
