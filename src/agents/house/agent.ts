import { messageOf } from "../../core/errors.ts";
import type { Agent, AgentModel, AgentSession, Discovery, OpenOptions } from "../contract.ts";
import type { HouseModel, Models } from "./model/models.ts";
import type { HouseOptions } from "./options.ts";
import type { HouseSession } from "./session.ts";

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

/** What may be told of a model: not how it is called, which holds a key. */
function told({ id, name, context, output, price, reasoning, images, released }: HouseModel): AgentModel {
  return { id, name, context, output, price, reasoning, images, released };
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
    open: (open) => openLazily(options, open),
  };
}

function openLazily(options: HouseOptions, open: OpenOptions): AgentSession {
  const opening = import("./session.ts").then(({ openHouseSession }) => openHouseSession(options, open));
  let session: HouseSession | undefined;
  let gone = false;
  const ready = opening.then((opened) => {
    session = opened;
  });
  ready.catch(() => {});
  const leave = async (how: (opened: HouseSession) => Promise<void>): Promise<void> => {
    if (session) return how(session);
    if (!gone) open.emit({ type: "exited", code: null, signal: null, stderr: [] });
    gone = true;
  };
  return {
    async ready() {
      await ready;
      if (gone) throw new Error("the session was closed before it was open");
    },
    prompt: async (prompt) => session?.prompt(prompt),
    compact: async () => session?.compact(),
    steer: async (prompt) => session?.steer(prompt),
    cancel: async () => session?.cancel(),
    answer: async (ask, answer) => session?.answer(ask, answer),
    decide: async (ask, verdict) => session?.decide(ask, verdict),
    set: async (choice) => session?.set(choice),
    close: () => leave((opened) => opened.close()),
    kill: () => leave((opened) => opened.kill()),
    pause: () => session?.pause(),
    resume: () => session?.resume(),
  };
}
