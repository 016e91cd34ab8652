import { messageOf } from "../../core/errors.ts";
import type { Agent, AgentModel, Discovery } from "../contract.ts";
import { effortOption } from "../effort.ts";
import { openLazily } from "../open-lazily.ts";
import { effortsOf } from "./model/efforts.ts";
import type { HouseModel, Models } from "./model/models.ts";
import type { HouseOptions } from "./options.ts";

const MODES = [
  { id: "build", name: "Build", description: "may change files and run commands, after asking" },
  { id: "plan", name: "Plan", description: "looks and plans, changes nothing" },
];

const LOGIN = "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or configure an endpoint";

/** Whether a turn can be expected to work, without a call. */
function usable(models: Models): Pick<Discovery, "detail" | "credentials" | "defaultModel"> {
  try {
    const { id, access } = models.find(undefined);
    const found = { defaultModel: id, credentials: access ? "found" : "not_needed" } as const;
    if (access) return { ...found, detail: `built in; ${id} unless another model is chosen` };
    return { ...found, detail: `built in; no key is set, so a scripted model answers: ${LOGIN}` };
  } catch (error) {
    return { credentials: "missing", detail: messageOf(error) };
  }
}

/** The facts of a model that may be shown: not how it is called, which holds a key. */
function told(model: HouseModel): AgentModel {
  const { id, name, context, output, price, reasoning, images, released } = model;
  const options = effortOption(effortsOf(model));
  const facts = { id, name, context, output, price, reasoning, images, released };
  return options.length === 0 ? facts : { ...facts, options };
}

/** Parley's own agent: a loop in this process. Nothing of the model library is loaded before a session opens. */
export function createHouseAgent(options: HouseOptions): Agent {
  const { models } = options;
  return {
    name: "house",
    takesInstructions: true,
    capabilities: { fork: true, rewind: true, compact: true },
    discover: async () => ({
      title: "House",
      installed: true,
      ...usable(models),
      login: LOGIN,
      models: models.list.map(told),
      modes: MODES,
    }),
    advice: (model) => models.advice(model),
    open: (open) => {
      const load = async () => (await import("./session.ts")).loadSession(options, open);
      return openLazily(open, load, ["compact", "steer", "decide"]);
    },
  };
}
