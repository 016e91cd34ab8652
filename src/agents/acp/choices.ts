import type { AgentOption, OptionValue, OptionValues } from "../../core/events/values.ts";
import { freeName } from "../../core/free-name.ts";
import { type Fields, fieldsIn, listIn, present, textIn } from "../../core/json/fields.ts";
import type { SessionSignal } from "../../core/ledger/signals.ts";
import type { AgentMode, AgentModel } from "../contract.ts";

/** A choice that the program offers in its session. */
export interface Offer {
  /** The program's id of it. */
  id: string;
  option: AgentOption;
  current?: OptionValue;
}

/** All that can be chosen in a session, and what is in force. */
export interface Choices {
  model?: Offer;
  mode?: Offer;
  /** By Parley's ids. */
  options: ReadonlyMap<string, Offer>;
  /** How the model and the mode are set: as config options, or by requests of their own. */
  legacy: { model: boolean; mode: boolean };
}

function valuesOf(options: readonly Fields[]): NonNullable<AgentOption["values"]> {
  return options.flatMap((one) => {
    const grouped = listIn(one, "options");
    if (grouped.length > 0) return valuesOf(grouped);
    const id = textIn(one, "value") ?? textIn(one, "modelId") ?? textIn(one, "id");
    if (id === undefined) return [];
    return [{ id, ...present({ name: textIn(one, "name"), description: textIn(one, "description") ?? undefined }) }];
  });
}

function offerOf(config: Fields): Offer | undefined {
  const id = textIn(config, "id");
  if (id === undefined) return undefined;
  const { currentValue, type } = config;
  const names = present({ name: textIn(config, "name"), description: textIn(config, "description") ?? undefined });
  const current = typeof currentValue === "string" || typeof currentValue === "boolean" ? currentValue : undefined;
  const values = valuesOf(listIn(config, "options"));
  const facts = { id, ...names, ...present({ category: textIn(config, "category") }) };
  const option: AgentOption = type === "boolean" ? { ...facts, kind: "boolean" } : { ...facts, kind: "select", values };
  return { id, option, ...present({ current }) };
}

const EFFORT = "effort";
/** Ids that stand for the model and the mode of a session everywhere. */
const RESERVED: readonly string[] = ["model", "mode"];

/** The choices in a list of config options. Of each category the first counts, as the protocol says. */
function configured(configs: readonly Fields[]): Omit<Choices, "legacy"> {
  const offers = configs.map(offerOf).filter((offer) => offer !== undefined);
  const firstOf = (category: string): Offer | undefined => offers.find(({ option }) => option.category === category);
  const [model, mode, effort] = [firstOf("model"), firstOf("mode"), firstOf("thought_level")];
  const others = offers.filter((offer) => offer !== model && offer !== mode);
  const options = new Map<string, Offer>();
  // Names that are the program's own stay free for them, wherever they are in the list.
  const named = new Set([...RESERVED, ...(effort ? [EFFORT] : []), ...others.map(({ id }) => id)]);
  for (const offer of others) {
    const isOther =
      RESERVED.includes(offer.id) || options.has(offer.id) || (effort !== undefined && offer.id === EFFORT);
    const free = isOther ? freeName(offer.id, (id) => named.has(id) || options.has(id)) : offer.id;
    const id = offer === effort ? EFFORT : free;
    options.set(id, { ...offer, option: { ...offer.option, id } });
  }
  return { ...present({ model, mode }), options };
}

function legacyOffer(id: string, list: readonly Fields[], current: string | undefined): Offer | undefined {
  const values = valuesOf(list);
  if (values.length === 0) return undefined;
  return { id, option: { id, kind: "select", values }, ...present({ current }) };
}

/** The choices of an answer that opens a session: its config options, and modes and models where those tell none. */
export function choicesOf(opened: Fields): Choices {
  const { model, mode, options } = configured(listIn(opened, "configOptions"));
  const [models, modes] = [fieldsIn(opened, "models"), fieldsIn(opened, "modes")];
  const legacyModel = legacyOffer("model", listIn(models, "availableModels"), textIn(models, "currentModelId"));
  const legacyMode = legacyOffer("mode", listIn(modes, "availableModes"), textIn(modes, "currentModeId"));
  return {
    ...present({ model: model ?? legacyModel, mode: mode ?? legacyMode }),
    options,
    legacy: { model: model === undefined, mode: mode === undefined },
  };
}

/** The choices after the program told all of its config options anew. Modes and models that it told otherwise stay. */
export function withConfig(before: Choices, configs: readonly Fields[]): Choices {
  const { model, mode, options } = configured(configs);
  return {
    ...present({
      model: model ?? (before.legacy.model ? before.model : undefined),
      mode: mode ?? (before.legacy.mode ? before.mode : undefined),
    }),
    options,
    legacy: { model: model ? false : before.legacy.model, mode: mode ? false : before.legacy.mode },
  };
}

/** A new current value of the model or the mode. */
export function withCurrent(choices: Choices, what: "model" | "mode", current: string): Choices {
  const offer = choices[what] ?? { id: what, option: { id: what, kind: "select" as const, values: [] } };
  return { ...choices, [what]: { ...offer, current } };
}

/** A new value of a further option, by the program's id of it. */
export function withOption(choices: Choices, id: string, current: OptionValue): Choices {
  const changed = [...choices.options].map(([key, offer]): [string, Offer] => [
    key,
    offer.id === id ? { ...offer, current } : offer,
  ]);
  return { ...choices, options: new Map(changed) };
}

/** The session's facts as they are in force. */
export function factsOf({ model, mode, options }: Choices): SessionSignal {
  const chosen = [...options].flatMap(([id, { current }]) => (current === undefined ? [] : [[id, current] as const]));
  const values: OptionValues = Object.fromEntries(chosen);
  const word = (offer: Offer | undefined): string | undefined =>
    typeof offer?.current === "string" ? offer.current : undefined;
  const facts = present({ model: word(model), mode: word(mode) });
  return { type: "session", ...facts, options: values, offers: [...options.values()].map(({ option }) => option) };
}

/** The options of a new session, with the values that it has by itself. */
export function optionsOf({ options }: Choices): AgentOption[] {
  return [...options.values()].map(({ option, current }) => ({ ...option, ...present({ default: current }) }));
}

export function modelsOf({ model }: Choices): AgentModel[] {
  return (model?.option.values ?? []).map(({ id, name, description }) => ({
    id,
    ...present({ name, description }),
  }));
}

/** The modes, in the program's order. */
export function modesOf({ mode }: Choices): AgentMode[] {
  return (mode?.option.values ?? []).map(({ id, name, description }) => ({
    id,
    ...present({ name, description }),
  }));
}
