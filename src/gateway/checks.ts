import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Agent } from "../agents/contract.ts";
import { ParleyError } from "../core/errors.ts";

/** The one spelling of an existing directory, so that its sessions are found whichever way it was named. */
export async function existingDirectory(directory: string): Promise<string> {
  if (!isAbsolute(directory)) {
    throw new ParleyError("invalid", `expected the absolute path of a directory, got ${directory}`);
  }
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw new ParleyError("invalid", `expected an existing directory, got ${directory}`);
  return realpath(directory);
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
