import type { Discovery } from "../../../agents/contract.ts";
import { present } from "../../../core/json/fields.ts";
import { modelNameFault } from "../../../core/model-name.ts";
import { badRequest } from "../errors.ts";
import type { KnownAgent } from "./discoveries.ts";
import { BUILD, modeFor, PLAN } from "./modes.ts";
import { OWN_MODEL } from "./providers.ts";

/** A client's choice of agent, model and mode, in OpenCode's words. */
export interface Wish {
  providerID?: string;
  modelID?: string;
  /** The mode. */
  agent?: string;
}

/** The same in the gateway's words. What is absent is left to the agent. */
export interface Choice {
  agent: string;
  model?: string;
  mode?: string;
}

function modelFor(name: string, { models, otherModels }: Discovery, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const known = models.some((model) => model.id === id);
  // Clients say again what they were shown of a session that names no model.
  if (id === OWN_MODEL && !known) return undefined;
  const fault = modelNameFault(id);
  if (fault !== undefined) throw badRequest(`expected the name of a model, got ${JSON.stringify(id)}: ${fault}`);
  if (known || otherModels || models.length === 0) return id;
  throw badRequest(`agent ${name} has no model ${id}; it has: ${models.map((model) => model.id).join(", ")}`);
}

function knownMode(name: string, { modes }: Discovery, agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  const mode = modeFor(agent, modes);
  if (mode === undefined || modes.some(({ id }) => id === mode)) return mode;
  const have = modes.map(({ id }) => id).join(", ") || "none";
  throw badRequest(`agent ${name} has no mode ${agent}; it has: ${have}`);
}

/** Which model and mode of an agent a client means. One that is known not to be there is refused. */
export function chosen(wish: Wish, { name, discovery }: KnownAgent): Choice {
  const model = modelFor(name, discovery, wish.modelID);
  const mode = knownMode(name, discovery, wish.agent);
  return present({ agent: name, model, mode });
}

/**
 * The agent whose mode a client names for an agent that does not have it. `build` is each agent's own way to work; `plan` changes nothing, and no other mode may take its place.
 */
export function foreignMode(
  mode: string | undefined,
  { name, discovery }: KnownAgent,
  agents: readonly KnownAgent[],
): string | undefined {
  const has = ({ discovery: { modes } }: KnownAgent): boolean => modes.some(({ id }) => id === mode);
  if (mode === undefined || mode === BUILD || mode === PLAN || has({ name, discovery })) return undefined;
  return agents.find((agent) => agent.name !== name && has(agent))?.name;
}
