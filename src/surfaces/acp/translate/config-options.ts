import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import type { AgentInfo, Session } from "../../../client/index.ts";
import type { AgentOption } from "../../../core/events/values.ts";
import { freeName } from "../../../core/free-name.ts";
import { present } from "../../../core/json/fields.ts";

/** The choice of a session and what its agent offers. */
export interface Offer {
  state: Pick<Session, "model" | "mode" | "options" | "offers">;
  info: Pick<AgentInfo, "models" | "modes" | "options" | "defaultModel">;
}

/** Ids of the options that are not the agent's own. */
export const MODEL = "model";
export const MODE = "mode";
const EFFORT = "effort";
/** Stands for an option of which nothing was chosen, where the agent does not tell its default. */
const UNCHOSEN = "default";
const [YES, NO] = ["true", "false"];

interface Named {
  id: string;
  name?: string | undefined;
  description?: string | undefined;
}

function selectable(list: readonly Named[], current: string): { value: string; name: string; description?: string }[] {
  const all = list.some(({ id }) => id === current) ? list : [{ id: current }, ...list];
  return all.map(({ id, name, description }: Named) => ({ value: id, name: name ?? id, ...present({ description }) }));
}

export function currentModel({ state, info }: Offer): string | undefined {
  return state.model ?? info.defaultModel ?? info.models[0]?.id;
}

function shownModes({ info }: Offer): AgentInfo["modes"] {
  return info.modes.filter(({ hidden }) => !hidden);
}

export function currentMode(offer: Offer): string | undefined {
  return offer.state.mode ?? shownModes(offer)[0]?.id;
}

/** The options by the ids that clients know them by: those of mode and model are taken. */
function shownOptions(offer: Offer): { id: string; option: AgentOption }[] {
  const options = optionsOf(offer);
  const isTaken = (id: string): boolean => id === MODE || id === MODEL || options.some((one) => one.id === id);
  return options.map((option) => {
    const isFree = option.id !== MODE && option.id !== MODEL;
    return { id: isFree ? option.id : freeName(option.id, isTaken), option };
  });
}

/** The options that the session has: those it says itself, else those of its model, else the agent's. */
export function optionsOf(offer: Offer): readonly AgentOption[] {
  const model = offer.info.models.find(({ id }) => id === currentModel(offer));
  return offer.state.offers ?? model?.options ?? offer.info.options ?? [];
}

function optionShape(id: string, option: AgentOption, offer: Offer, takesBooleans: boolean): SessionConfigOption {
  const { name, description, values = [] } = option;
  const chosen = offer.state.options?.[option.id] ?? option.default;
  const category = option.category ?? (id === EFFORT ? "thought_level" : "model_config");
  const facts = { id, name: name ?? id, category, ...present({ description }) };
  if (option.kind === "boolean") {
    if (takesBooleans) return { type: "boolean", ...facts, currentValue: chosen === true };
    const options = [
      { value: YES, name: "On" },
      { value: NO, name: "Off" },
    ];
    return { type: "select", ...facts, currentValue: chosen === true ? YES : NO, options };
  }
  const currentValue = typeof chosen === "string" ? chosen : UNCHOSEN;
  return { type: "select", ...facts, currentValue, options: selectable(values, currentValue) };
}

/** All choices of a session: mode, model, then the agent's own. */
export function configOptions(offer: Offer, takesBooleans: boolean): SessionConfigOption[] {
  const [model, mode] = [currentModel(offer), currentMode(offer)];
  const shown: SessionConfigOption[] = [];
  if (mode !== undefined) {
    const options = selectable(shownModes(offer), mode);
    shown.push({ type: "select", id: MODE, name: "Mode", category: "mode", currentValue: mode, options });
  }
  if (model !== undefined) {
    const options = selectable(offer.info.models, model);
    shown.push({ type: "select", id: MODEL, name: "Model", category: "model", currentValue: model, options });
  }
  return [...shown, ...shownOptions(offer).map(({ id, option }) => optionShape(id, option, offer, takesBooleans))];
}

/** The session's change that a choice asks for; undefined for an option that it does not have. */
export function changeFor(
  offer: Offer,
  id: string,
  value: string | boolean,
): { model?: string; mode?: string; options?: Record<string, string | boolean> } | undefined {
  if (id === MODEL && typeof value === "string") return { model: value };
  if (id === MODE && typeof value === "string") return { mode: value };
  const option = shownOptions(offer).find((one) => one.id === id)?.option;
  if (!option) return undefined;
  if (option.kind === "boolean") return { options: { [option.id]: value === true || value === YES } };
  const unset = value === UNCHOSEN && !option.values?.some((one) => one.id === UNCHOSEN);
  return unset ? {} : { options: { [option.id]: value } };
}

/** The modes as older clients know them; undefined for an agent without modes. */
export function modeState(offer: Offer): SessionModeState | undefined {
  const current = currentMode(offer);
  if (current === undefined) return undefined;
  const availableModes = selectable(shownModes(offer), current).map(({ value, ...rest }) => ({ id: value, ...rest }));
  return { currentModeId: current, availableModes };
}

/** The models as clients of older versions of the protocol know them. */
export function modelState(offer: Offer): object | undefined {
  const current = currentModel(offer);
  if (current === undefined) return undefined;
  const availableModels = selectable(offer.info.models, current).map(({ value, name }) => ({ modelId: value, name }));
  return { currentModelId: current, availableModels };
}
