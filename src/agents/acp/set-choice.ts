import type { OptionValue } from "../../core/events/values.ts";
import { type Fields, listIn } from "../../core/json/fields.ts";
import type { AgentChoice } from "../contract.ts";
import { type Choices, choicesOf, type Offer, withConfig, withCurrent } from "./choices.ts";
import { errorWords } from "./decode/decoder.ts";
import type { Rpc } from "./rpc.ts";

/** The session whose choices are set. They may change by themselves meanwhile, so they are read anew each time. */
export interface Chooser {
  rpc: Rpc;
  /** The program's id of the session. */
  session: string;
  choices: Choices;
}

function listed({ option }: Offer): string {
  return (option.values ?? []).map(({ id }) => id).join(", ");
}

async function ask({ rpc, session }: Chooser, method: string, params: Fields, what: string): Promise<Fields> {
  const { result, error } = await rpc.ask(method, { sessionId: session, ...params });
  if (error) throw new Error(`the agent does not take ${what}: ${errorWords(error)}`);
  return result;
}

async function setConfig(chooser: Chooser, offer: Offer, value: OptionValue, what: string): Promise<void> {
  const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
  const result = await ask(chooser, "session/set_config_option", { configId: offer.id, ...typed }, what);
  const configs = listIn(result, "configOptions");
  if (configs.length === 0) return;
  chooser.choices = withConfig(chooser.choices, configs);
  const now = configs.find(({ id }) => id === offer.id)?.currentValue;
  if (now !== undefined && now !== value) throw new Error(`the agent does not take ${what}: it is ${String(now)}`);
}

async function setNamed(chooser: Chooser, what: "model" | "mode", value: string): Promise<void> {
  const { [what]: offer, legacy } = chooser.choices;
  if (offer?.current === value) return;
  const wanted = `the ${what} ${value}`;
  if (!offer) throw new Error(`the agent does not take ${wanted}: it offers no ${what}s in this session`);
  if (what === "mode" && !offer.option.values?.some(({ id }) => id === value))
    throw new Error(`the agent does not take ${wanted}: its modes are ${listed(offer)}`);
  if (!legacy[what]) return setConfig(chooser, offer, value, wanted);
  const params = what === "model" ? { modelId: value } : { modeId: value };
  await ask(chooser, `session/set_${what}`, params, wanted);
  chooser.choices = withCurrent(chooser.choices, what, value);
}

/** Puts a choice in force. The model comes first, since options may depend on it. */
export async function setChoice(chooser: Chooser, { model, mode, options = {} }: AgentChoice): Promise<void> {
  if (model !== undefined) await setNamed(chooser, "model", model);
  if (mode !== undefined) await setNamed(chooser, "mode", mode);
  for (const [id, value] of Object.entries(options)) {
    const offer = chooser.choices.options.get(id);
    // One that is no longer offered is no longer in force: the session's facts say so.
    if (offer && offer.current !== value) await setConfig(chooser, offer, value, `${id} ${String(value)}`);
  }
}

export const NO_CHOICES: Choices = choicesOf({});
