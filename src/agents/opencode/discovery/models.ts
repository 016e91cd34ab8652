import { type Fields, fieldsIn, isFields, listIn, numberIn, present, textIn } from "../../../core/json/fields.ts";
import type { AgentModel, Discovery, Modality, Price, PriceTier } from "../../contract.ts";
import { effortOption } from "../../effort.ts";

const MODALITIES: readonly Modality[] = ["text", "image", "audio", "video", "pdf"];
const STATUSES = ["alpha", "beta", "active", "deprecated"] as const;
/** The size of a prompt from which on an older field has the prices. */
const LONG = 200_000;

/** The answers of a server that tell of models. */
export interface Told {
  /** `GET /config/providers`. */
  providers: Fields;
  /** `GET /config`. */
  config: Fields;
}

/** The program says 0 or an empty text for what it does not know; a limit or a family that is known is never so. */
const positive = (value: number | undefined): number | undefined =>
  value !== undefined && value > 0 ? value : undefined;
const filled = (text: string | undefined): string | undefined => text || undefined;

function flag(holder: Fields, name: string): boolean | undefined {
  const value = holder[name];
  return typeof value === "boolean" ? value : undefined;
}

function modalitiesIn(capabilities: Fields, name: string): Modality[] {
  const told = fieldsIn(capabilities, name);
  return MODALITIES.filter((modality) => told[modality] === true);
}

function priceIn(cost: Fields): Omit<Price, "tiers"> | undefined {
  const [input, output] = [numberIn(cost, "input"), numberIn(cost, "output")];
  if (input === undefined || output === undefined) return undefined;
  const cache = fieldsIn(cost, "cache");
  return { input, output, ...present({ cacheRead: numberIn(cache, "read"), cacheWrite: numberIn(cache, "write") }) };
}

function tiersIn(cost: Fields): PriceTier[] {
  const tiers = listIn(cost, "tiers").flatMap((tier): PriceTier[] => {
    const [price, above] = [priceIn(tier), numberIn(fieldsIn(tier, "tier"), "size")];
    return price && above !== undefined ? [{ ...price, above }] : [];
  });
  const long = priceIn(fieldsIn(cost, "experimentalOver200K"));
  if (long && !tiers.some(({ above }) => above === LONG)) tiers.push({ ...long, above: LONG });
  return tiers.sort((a, b) => a.above - b.above);
}

/** The price of a model. Zero is a price only where somebody said so: the program's catalogue, which knows the day of each model, or the user's configuration. */
function priceOf(model: Fields, configured: Fields): Price | undefined {
  const cost = fieldsIn(model, "cost");
  const price = priceIn(cost);
  if (!price) return undefined;
  const free = price.input === 0 && price.output === 0;
  if (free && !filled(textIn(model, "release_date")) && !isFields(configured.cost)) return undefined;
  const tiers = tiersIn(cost);
  return tiers.length > 0 ? { ...price, tiers } : price;
}

function interleavedIn(capabilities: Fields): boolean | string | undefined {
  const { interleaved } = capabilities;
  if (typeof interleaved === "boolean") return interleaved;
  return isFields(interleaved) ? (textIn(interleaved, "field") ?? true) : undefined;
}

/** The variants of a model that can be chosen, as levels of effort. */
export function variantsIn(model: Fields): string[] {
  const variants = Object.entries(fieldsIn(model, "variants"));
  return variants.filter(([, variant]) => !isFields(variant) || variant.disabled !== true).map(([name]) => name);
}

export function modelOf(provider: Fields, model: Fields, configured: Fields): AgentModel[] {
  const [providerID, modelID] = [textIn(provider, "id"), textIn(model, "id")];
  if (!providerID || !modelID) return [];
  const capabilities = fieldsIn(model, "capabilities");
  const modalities = { input: modalitiesIn(capabilities, "input"), output: modalitiesIn(capabilities, "output") };
  const limit = fieldsIn(model, "limit");
  const options = effortOption(variantsIn(model));
  const facts = present({
    name: filled(textIn(model, "name")),
    provider: filled(textIn(provider, "name")),
    family: filled(textIn(model, "family")),
    context: positive(numberIn(limit, "context")),
    input: positive(numberIn(limit, "input")),
    output: positive(numberIn(limit, "output")),
    price: priceOf(model, configured),
    reasoning: flag(capabilities, "reasoning"),
    images: flag(fieldsIn(capabilities, "input"), "image"),
    modalities: modalities.input.length > 0 ? modalities : undefined,
    tools: flag(capabilities, "toolcall"),
    temperature: flag(capabilities, "temperature"),
    attachments: flag(capabilities, "attachment"),
    interleaved: interleavedIn(capabilities),
    status: STATUSES.find((status) => status === model.status),
    released: filled(textIn(model, "release_date")),
    options: options.length > 0 ? options : undefined,
  });
  return [{ id: `${providerID}/${modelID}`, ...facts }];
}

/** The models of all providers that the user is connected to. Nothing else of a provider is told: its options may hold keys. */
export function modelsOf({ providers, config }: Told): AgentModel[] {
  return listIn(providers, "providers").flatMap((provider) => {
    const own = fieldsIn(fieldsIn(fieldsIn(config, "provider"), textIn(provider, "id") ?? ""), "models");
    return Object.values(fieldsIn(provider, "models")).flatMap((model) =>
      isFields(model) ? modelOf(provider, model, fieldsIn(own, textIn(model, "id") ?? "")) : [],
    );
  });
}

/**
 * The model that the program takes where nobody chose one: that of the configuration, else the one that was used last, else the best of the first provider, which
 * must be of the configuration where that names any.
 */
export function defaultModelOf(
  { providers, config }: Told,
  models: readonly AgentModel[],
  recent: readonly string[],
): Pick<Discovery, "defaultModel"> {
  const known = new Set(models.map(({ id }) => id));
  const named = filled(textIn(config, "model")) ?? recent.find((id) => known.has(id));
  if (named !== undefined) return { defaultModel: named };
  const configured = isFields(config.provider) ? config.provider : undefined;
  const ids = listIn(providers, "providers").flatMap((provider) => textIn(provider, "id") ?? []);
  const first = ids.find((id) => configured === undefined || id in configured);
  const best = textIn(fieldsIn(providers, "default"), first ?? "");
  return best === undefined ? {} : { defaultModel: `${first}/${best}` };
}

/** Whether the user is connected to a provider, besides the program's own free one. */
export function credentialsOf({ providers }: Told): Discovery["credentials"] {
  const all = listIn(providers, "providers");
  const isFree = (provider: Fields): boolean => provider.id === "opencode" && provider.source === "custom";
  if (all.some((provider) => !isFree(provider))) return "found";
  return all.length > 0 ? "not_needed" : "missing";
}
