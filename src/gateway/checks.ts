import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { type Agent, type AgentChoice, type Discovery, ResumeLost } from "../agents/contract.ts";
import { messageOf, ParleyError } from "../core/errors.ts";
import type { AgentOption, OptionValue } from "../core/events/values.ts";
import { isId } from "../core/ids.ts";
import { modelNameFault } from "../core/model-name.ts";
import { nearest } from "../core/nearest.ts";
import type { SessionState } from "../core/session-state.ts";
import type { Roots } from "../host/files/roots.ts";
import { type Door, enterDirectory, onlyHere } from "./door.ts";
import { offeredOptions } from "./offered-options.ts";

interface Where {
  roots: Roots;
  door?: Door;
}

/**
 * The real path of an existing directory. Sessions are stored under it, so links and spellings do not hide them. A directory of
 * another place is refused with the address of a node that has it; `place` is the place that the request names, and `unnamed` says
 * that the directory is this process's own.
 */
export async function existingDirectory(
  directory: string,
  where: Where,
  { place, unnamed = false }: { place?: string; unnamed?: boolean } = {},
): Promise<string> {
  const { roots, door = onlyHere } = where;
  if (!isAbsolute(directory)) {
    throw new ParleyError("invalid", `expected the absolute path of a directory, got ${directory}`);
  }
  await enterDirectory(door, unnamed ? undefined : directory, place);
  // Checked first: a client must not learn whether a path outside of the roots exists.
  roots.assert(directory);
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw new ParleyError("invalid", `expected an existing directory, got ${directory}`);
  const real = await realpath(directory);
  roots.assert(real);
  return real;
}

/** The refusal of a session whose agent could not go on with its own one. */
export function notAdopted(agent: string, nativeId: string, error: unknown): ParleyError {
  if (!(error instanceof ResumeLost)) return new ParleyError("unavailable", messageOf(error));
  const how = `GET /v1/agents/${agent}/sessions lists those that it has`;
  return new ParleyError("not_found", `agent ${agent} does not know its session ${nativeId}; ${how}`);
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

/** A model, mode or option that the agent is known not to have is refused before anything is promised. */
export async function assertChoice(
  agent: Agent,
  { model, mode, options }: AgentChoice,
  discover: () => Promise<Discovery>,
  session: Pick<SessionState, "model" | "offers"> = {},
): Promise<void> {
  if (model === undefined && mode === undefined && options === undefined) return;
  assertModelName(model);
  const discovery = await discover();
  if (!discovery.otherModels) assertKnown(`agent ${agent.name} has no model`, model, discovery.models, agent.advice);
  if (mode !== undefined && discovery.modes.length === 0)
    throw new ParleyError("invalid", `agent ${agent.name} has no mode ${mode}: it has no modes; leave the mode out`);
  assertKnown(`agent ${agent.name} has no mode`, mode, discovery.modes);
  const known = offeredOptions(discovery, model, session);
  for (const [id, value] of Object.entries(options ?? {})) assertOption(agent.name, id, value, known);
}

/** A name that a program could take for a flag, or that spoils a terminal, is no model of any agent. */
function assertModelName(model: string | undefined): void {
  const fault = model === undefined ? undefined : modelNameFault(model);
  if (fault === undefined) return;
  throw new ParleyError("invalid", `expected the name of a model, got ${JSON.stringify(model)}: ${fault}`);
}

function assertOption(agent: string, id: string, value: OptionValue, known: readonly AgentOption[]): void {
  const option = known.find((one) => one.id === id);
  if (!option) {
    const have = known.length === 0 ? "it has none" : `it has: ${known.map((one) => one.id).join(", ")}`;
    throw new ParleyError("invalid", `agent ${agent} has no option ${id}; ${have}`);
  }
  const values: readonly OptionValue[] =
    option.kind === "boolean" ? [true, false] : (option.values ?? []).map((one) => one.id);
  if (values.includes(value)) return;
  const given = JSON.stringify(value);
  throw new ParleyError(
    "invalid",
    `option ${id} of agent ${agent} cannot be ${given}; it can be: ${values.join(", ")}`,
  );
}

function assertKnown(
  lacks: string,
  value: string | undefined,
  known: readonly { id: string }[],
  advice?: (value: string) => string,
): void {
  if (value === undefined || known.length === 0 || known.some((one) => one.id === value)) return;
  const ids = known.map((one) => one.id);
  const meant = nearest(value, ids);
  const hint = meant === undefined ? "" : ` did you mean ${meant}?`;
  throw new ParleyError(
    "invalid",
    `${lacks} ${value};${hint} it has: ${ids.join(", ")}${advice ? `; ${advice(value)}` : ""}`,
  );
}
