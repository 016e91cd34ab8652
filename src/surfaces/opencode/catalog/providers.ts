import type { AgentModel, Discovery } from "../../../agents/contract.ts";
import type { KnownAgent } from "./discoveries.ts";
import { variantsOf } from "./variants.ts";

/** The model of an agent that tells of none: the one it would take by itself. */
export const OWN_MODEL = "default";

export function modelsOf({ models }: Discovery): readonly AgentModel[] {
  return models.length > 0 ? models : [{ id: OWN_MODEL, name: "Its own default" }];
}

export function defaultModelOf({ models, defaultModel }: Discovery): string {
  return defaultModel ?? models[0]?.id ?? OWN_MODEL;
}

/** Whether a turn can be expected to work. */
export function isConnected({ installed, credentials }: Discovery): boolean {
  return installed && credentials !== "missing";
}

/** Whether to ask an agent again: it cannot be used yet, or it has models that it was too slow to tell. */
export function mayTellMore(discovery: Discovery): boolean {
  return !isConnected(discovery) || (discovery.otherModels === true && discovery.models.length === 0);
}

export function titleOf({ name, discovery }: KnownAgent): string {
  return discovery.title ?? name;
}

/** The default agent first, then those that can be used, then the rest. */
export function inOrder(agents: readonly KnownAgent[], defaultAgent: string): KnownAgent[] {
  const rank = ({ name, discovery }: KnownAgent): number =>
    name === defaultAgent ? 0 : isConnected(discovery) ? 1 : 2;
  return agents.toSorted((a, b) => rank(a) - rank(b));
}

function modalities(model: AgentModel): Record<string, boolean> {
  // Where it is not known, the agent may refuse a picture, but nobody else does it for the agent.
  return { text: true, audio: false, image: model.images ?? true, video: false, pdf: false };
}

const ONLY_TEXT = { text: true, audio: false, image: false, video: false, pdf: false };

function costOf({ price }: AgentModel): object {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = price ?? {};
  return { input, output, cache: { read: cacheRead, write: cacheWrite } };
}

/** A model as OpenCode describes one. What is not known is 0 or empty, where something has to be there. */
function modelInfo(provider: string, model: AgentModel, variants: readonly string[]): object {
  return {
    id: model.id,
    providerID: provider,
    api: { id: model.id, url: "", npm: "parley" },
    name: model.name ?? model.id,
    capabilities: {
      temperature: false,
      reasoning: model.reasoning ?? false,
      attachment: model.images ?? true,
      toolcall: true,
      input: modalities(model),
      output: ONLY_TEXT,
      interleaved: false,
    },
    cost: costOf(model),
    limit: { context: model.context ?? 0, output: model.output ?? 0 },
    status: "active",
    options: {},
    headers: {},
    release_date: model.released ?? "",
    variants: Object.fromEntries(variants.map((effort) => [effort, { effort }])),
  };
}

/** An agent as a provider of models. */
export function providerInfo(agent: KnownAgent): object {
  const { name, discovery } = agent;
  return {
    id: name,
    name: titleOf(agent),
    source: "custom",
    env: [],
    options: {},
    models: Object.fromEntries(
      modelsOf(discovery).map((model) => [model.id, modelInfo(name, model, variantsOf(discovery, model.id))]),
    ),
  };
}

export function defaultModels(agents: readonly KnownAgent[]): Record<string, string> {
  return Object.fromEntries(agents.map(({ name, discovery }) => [name, defaultModelOf(discovery)]));
}

/** The same for the newer half of the API. */
export function newerProviderInfo(agent: KnownAgent): object {
  const api = { type: "native", settings: {} };
  return { id: agent.name, name: titleOf(agent), api, request: { headers: {}, body: {} } };
}

export function newerModelInfos({ name, discovery }: KnownAgent): object[] {
  return modelsOf(discovery).map((model) => ({
    id: model.id,
    providerID: name,
    name: model.name ?? model.id,
    api: { id: model.id, type: "native", settings: {} },
    capabilities: { tools: true, input: (model.images ?? true) ? ["text", "image"] : ["text"], output: ["text"] },
    request: { headers: {}, body: {} },
    variants: variantsOf(discovery, model.id).map((effort) => ({ id: effort, headers: {}, body: { effort } })),
    time: { released: model.released === undefined ? 0 : Date.parse(model.released) },
    cost: [costOf(model)],
    status: "active",
    enabled: isConnected(discovery),
    limit: { context: model.context ?? 0, output: model.output ?? 0 },
  }));
}
