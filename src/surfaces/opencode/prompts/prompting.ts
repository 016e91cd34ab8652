import type { OptionValues } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { Receipt } from "../../../core/receipt.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { Choice } from "../catalog/choice.ts";
import { usingAgent } from "../catalog/used-agents.ts";
import { optionsFor } from "../catalog/variants.ts";
import { attendedBy } from "../client-kind.ts";
import type { Surface } from "../context.ts";
import { unsupported } from "../errors.ts";
import { rulesOfTools } from "../sessions/permission-rules.ts";
import { type PromptInput, promptParts } from "./prompt-input.ts";

/** A variant that means none. */
const NO_VARIANT = "default";

/** The agent, model, mode and options for a prompt: as the client says, else as they were. */
export async function choiceOf(
  { environment: { catalog }, bus }: Surface,
  state: SessionState,
  { model, agent, variant }: Pick<PromptInput, "model" | "agent" | "variant">,
): Promise<Partial<Choice> & { options?: OptionValues }> {
  const { agent: own, parent, directory } = state;
  // A sub-agent is none of the providers. Its session takes no prompts, which the gateway says.
  if (parent !== undefined || (model ?? agent ?? variant) === undefined) return {};
  const named = present({ providerID: own, ...model, agent });
  const choice = await catalog.chooseForPrompt(named, directory, (message) => bus.warn(directory, message));
  const known = await catalog.agent(choice.agent ?? own, directory);
  const wish = { model: choice.model, variant, said: model !== undefined };
  const before = (choice.agent ?? own) === own ? state : { queue: state.queue };
  const options = known && optionsFor(wish, known.discovery, before);
  // Without a model or a mode the prompt says nothing of the agent.
  const said = model === undefined && agent === undefined ? {} : choice;
  return { ...said, ...present({ options }) };
}

/** The facts that a client wants to see again in the message of its prompt. */
function extrasOf({ tools, variant }: PromptInput): Record<string, unknown> | undefined {
  const extras = present({ variant: variant === NO_VARIANT ? undefined : variant, tools });
  return Object.keys(extras).length === 0 ? undefined : extras;
}

/** Gives a session a prompt. The same message id with the same body is the same prompt, and begins no second turn. */
export async function givePrompt(
  surface: Surface,
  state: SessionState,
  input: PromptInput,
  client: string | undefined,
): Promise<Receipt> {
  const { gateway } = surface;
  const { id, directory } = state;
  const { messageID, noReply, tools, system, format } = input;
  if (format && format.type !== "text")
    throw unsupported(
      `answers in a format of the client's (${format.type}) cannot be asked of every agent: say it in the prompt`,
    );
  const parts = promptParts(input.parts, directory);
  const choice = await choiceOf(surface, state, input);
  const rules = rulesOfTools(tools ?? {});
  const moves = choice.agent === state.agent ? undefined : choice.agent;
  const request = {
    parts,
    ...choice,
    ...present({
      id: messageID,
      delivery: noReply ? "context" : undefined,
      system: system || undefined,
      // A prompt that names no tool says nothing about permissions.
      permissions: rules.length > 0 ? rules : undefined,
      extras: extrasOf(input),
      attended: attendedBy(client),
    }),
  };
  return usingAgent(surface, directory, moves, () => gateway.prompt(id, request));
}
