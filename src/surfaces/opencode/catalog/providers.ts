import type { AgentModel, Discovery, Modality, Price, PriceTier } from "../../../agents/contract.ts";
import { present } from "../../../core/json/fields.ts";
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

const KINDS: readonly Modality[] = ["text", "audio", "image", "video", "pdf"];

/** Where it is not known, the agent may refuse a picture, but nobody else does it for the agent. */
function modalitiesOf({ modalities, images = true }: AgentModel): { input: Modality[]; output: Modality[] } {
  return modalities ?? { input: images ? ["text", "image"] : ["text"], output: ["text"] };
}

const asFlags = (kinds: readonly Modality[]): object =>
  Object.fromEntries(KINDS.map((kind) => [kind, kinds.includes(kind)]));

function priceOf({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: Partial<Price> = {}): object {
  return { input, output, cache: { read: cacheRead, write: cacheWrite } };
}

const tierOf = ({ above: size, ...price }: PriceTier): object => ({
  ...priceOf(price),
  tier: { type: "context", size },
});

/** The size of a prompt whose prices older clients look for in a field of their own. */
const LONG = 200_000;

function costOf({ price }: AgentModel): object {
  const tiers = price?.tiers ?? [];
  if (tiers.length === 0) return priceOf(price);
  const long = tiers.find(({ above }) => above === LONG);
  const older = long ? { experimentalOver200K: priceOf(long) } : {};
  return { ...priceOf(price), tiers: tiers.map(tierOf), ...older };
}

function limitOf({ context = 0, input, output = 0 }: AgentModel): object {
  return present({ context, input, output });
}

/** Models of several providers can have the same name. */
function nameOf({ id, name = id, provider }: AgentModel, several: boolean): string {
  return several && provider !== undefined ? `${name} (${provider})` : name;
}

const hasSeveral = (models: readonly AgentModel[]): boolean => new Set(models.map(({ provider }) => provider)).size > 1;

function interleavedOf({ interleaved = false }: AgentModel): boolean | object {
  return typeof interleaved === "string" ? { field: interleaved } : interleaved;
}

interface Shown {
  provider: string;
  name: string;
  variants: readonly string[];
}

/** A model as OpenCode describes one. What is not known is 0 or empty, where something has to be there. */
function modelInfo(model: AgentModel, { provider, name, variants }: Shown): object {
  const { input, output } = modalitiesOf(model);
  return present({
    id: model.id,
    providerID: provider,
    api: { id: model.id, url: "", npm: "parley" },
    name,
    family: model.family,
    capabilities: {
      temperature: model.temperature ?? false,
      reasoning: model.reasoning ?? false,
      attachment: model.attachments ?? model.images ?? true,
      toolcall: model.tools ?? true,
      input: asFlags(input),
      output: asFlags(output),
      interleaved: interleavedOf(model),
    },
    cost: costOf(model),
    limit: limitOf(model),
    status: model.status ?? "active",
    options: {},
    headers: {},
    release_date: model.released ?? "",
    variants: Object.fromEntries(variants.map((effort) => [effort, { effort }])),
  });
}

/** An agent as a provider of models. */
export function providerInfo(agent: KnownAgent): object {
  const { name, discovery } = agent;
  const models = modelsOf(discovery);
  const several = hasSeveral(models);
  return {
    id: name,
    name: titleOf(agent),
    source: "custom",
    env: [],
    options: {},
    models: Object.fromEntries(
      models.map((model) => {
        const variants = variantsOf(discovery, model.id);
        return [model.id, modelInfo(model, { provider: name, name: nameOf(model, several), variants })];
      }),
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
  const models = modelsOf(discovery);
  const several = hasSeveral(models);
  return models.map((model) =>
    present({
      id: model.id,
      providerID: name,
      family: model.family,
      name: nameOf(model, several),
      api: { id: model.id, type: "native", settings: {} },
      capabilities: { tools: model.tools ?? true, ...modalitiesOf(model) },
      request: { headers: {}, body: {} },
      variants: variantsOf(discovery, model.id).map((effort) => ({ id: effort, headers: {}, body: { effort } })),
      time: { released: model.released === undefined ? 0 : Date.parse(model.released) },
      cost: [priceOf(model.price), ...(model.price?.tiers ?? []).map(tierOf)],
      status: model.status ?? "active",
      enabled: isConnected(discovery),
      limit: limitOf(model),
    }),
  );
}
