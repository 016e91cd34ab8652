import type { OptionValue } from "../../core/events/values.ts";
import { type Fields, listIn } from "../../core/json/fields.ts";
import type { AgentChoice } from "../contract.ts";
import { type Choices, choicesOf, type Offer, withConfig, withCurrent, withOption } from "./choices.ts";
import { errorWords } from "./decode/decoder.ts";
import type { Rpc } from "./rpc.ts";

/** The session whose choices are set. They may change by themselves meanwhile, so they are read anew each time. */
export interface Chooser {
  rpc: Rpc;
  /** The program's id of the session. */
  session: string;
  /** The session is one of before. */
  isResumed?: boolean;
  choices: Choices;
}

function listed({ option }: Offer): string {
  return (option.values ?? []).map(({ id }) => id).join(", ");
}

async function ask({ rpc, session }: Chooser, method: string, params: Fields, what: string): Promise<Fields> {
  const { result, error } = await rpc.askHeard(method, { sessionId: session, ...params });
  if (error) throw new Error(`the agent does not take ${what}: ${errorWords(error)}`);
  return result;
}

async function setConfig(chooser: Chooser, offer: Offer, value: OptionValue, what: string): Promise<void> {
  const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
  const result = await ask(chooser, "session/set_config_option", { configId: offer.id, ...typed }, what);
  const configs = listIn(result, "configOptions");
  // A program that tells nothing has done as it was told: the value of before is not in force any more.
  if (configs.length === 0) return noteTaken(chooser, offer, value);
  chooser.choices = withConfig(chooser.choices, configs);
  const now = configs.find(({ id }) => id === offer.id)?.currentValue;
  if (now === value) return;
  throw new Error(`the agent does not take ${what}: ${now === undefined ? "it is offered no more" : `it is ${now}`}`);
}

function noteTaken(chooser: Chooser, { id }: Offer, value: OptionValue): void {
  const { choices } = chooser;
  const named = (["model", "mode"] as const).find((what) => !choices.legacy[what] && choices[what]?.id === id);
  if (named && typeof value === "string") chooser.choices = withCurrent(choices, named, value);
  else chooser.choices = withOption(choices, id, value);
}

/** Some programs do not tell the choices of a session of before. What was in force there is asked for by the older request. */
async function setUntold(chooser: Chooser, what: "model" | "mode", value: string): Promise<void> {
  const params = what === "model" ? { modelId: value } : { modeId: value };
  const { error } = await chooser.rpc.askHeard(`session/set_${what}`, { sessionId: chooser.session, ...params });
  // Without a model's name the program has its own; a mode that is not in force would be shown as if it were.
  if (error && what === "mode") throw new Error(`the agent does not take the mode ${value}: ${errorWords(error)}`);
  if (!error) chooser.choices = withCurrent(chooser.choices, what, value);
}

async function setNamed(chooser: Chooser, what: "model" | "mode", value: string): Promise<void> {
  const { [what]: offer, legacy } = chooser.choices;
  if (offer?.current === value) return;
  const wanted = `the ${what} ${value}`;
  if (!offer && chooser.isResumed) return setUntold(chooser, what, value);
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
