import { messageOf } from "../../core/errors.ts";
import type { Agent, AgentSession, Discovery, OpenOptions } from "../contract.ts";
import type { Models } from "./models.ts";
import type { HouseOptions } from "./options.ts";
import type { HouseSession } from "./session.ts";

const MODES = [
  { id: "build", name: "Build", description: "may change files and run commands, after asking" },
  { id: "plan", name: "Plan", description: "looks and plans, changes nothing" },
];

/** Whether a turn can be expected to work, without a call. */
function usable(models: Models): Pick<Discovery, "detail" | "credentials"> {
  try {
    const { id, access } = models.find(undefined);
    if (access) return { credentials: "found", detail: `built in; ${id} unless another model is chosen` };
    const advice = "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or configure an endpoint";
    return { credentials: "not_needed", detail: `built in; no key is set, so a scripted model answers: ${advice}` };
  } catch (error) {
    return { credentials: "missing", detail: messageOf(error) };
  }
}

/** Parley's own agent: a loop in this process. Nothing of the model library is loaded before a session opens. */
export function createHouseAgent(options: HouseOptions): Agent {
  const { models } = options;
  return {
    name: "house",
    takesInstructions: true,
    discover: async () => ({
      installed: true,
      ...usable(models),
      models: models.list.map(({ id, name, context, output }) => ({ id, name, context, output })),
      modes: MODES,
    }),
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
    steer: async (prompt) => session?.steer(prompt),
    cancel: async () => session?.cancel(),
    answer: async (ask, answer) => session?.answer(ask, answer),
    set: async (choice) => session?.set(choice),
    close: () => leave((opened) => opened.close()),
    kill: () => leave((opened) => opened.kill()),
    pause: () => session?.pause(),
    resume: () => session?.resume(),
  };
}
