import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Agent } from "../agents/contract.ts";
import { ParleyError } from "../core/errors.ts";
import { isId } from "../core/ids.ts";
import type { SessionState } from "../core/session-state.ts";
import type { Roots } from "../host/files/roots.ts";

/** The one spelling of an existing directory, so that its sessions are found whichever way it was named. */
export async function existingDirectory(directory: string, roots: Roots): Promise<string> {
  if (!isAbsolute(directory)) {
    throw new ParleyError("invalid", `expected the absolute path of a directory, got ${directory}`);
  }
  // Before anything is looked at: whether something is there is nobody's business.
  roots.assert(directory);
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw new ParleyError("invalid", `expected an existing directory, got ${directory}`);
  const real = await realpath(directory);
  roots.assert(real);
  return real;
}

/** Whether a session can be given a prompt with this id at all. */
export function assertPromptable({ parent }: Pick<SessionState, "parent">, id?: string): void {
  if (id !== undefined && !isId("message", id)) {
    const wanted = "msg_ and up to 64 letters, digits, - or _";
    throw new ParleyError("invalid", `expected a prompt id made of ${wanted}, got ${id}`);
  }
  if (parent !== undefined)
    throw new ParleyError("busy", "a sub-agent's session takes no prompts; send them to the session it belongs to");
}

/** A model or mode that the agent is known not to have is refused before anything is promised. */
export async function assertChoice(agent: Agent, choice: { model?: string; mode?: string }): Promise<void> {
  if (choice.model === undefined && choice.mode === undefined) return;
  const { models, modes } = await agent.discover();
  assertKnown(`agent ${agent.name} has no model`, choice.model, models, agent.advice);
  assertKnown(`agent ${agent.name} has no mode`, choice.mode, modes);
}

function assertKnown(
  lacks: string,
  value: string | undefined,
  known: readonly { id: string }[],
  advice?: (value: string) => string,
): void {
  if (value === undefined || known.length === 0 || known.some((one) => one.id === value)) return;
  const have = known.map((one) => one.id).join(", ");
  throw new ParleyError("invalid", `${lacks} ${value}; it has: ${have}${advice ? `; ${advice(value)}` : ""}`);
}
