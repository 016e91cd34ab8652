import { present } from "../../../core/json/fields.ts";
import type { Receipt } from "../../../core/receipt.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { Choice } from "../catalog/choice.ts";
import { usingAgent } from "../catalog/used-agents.ts";
import { attendedBy } from "../client-kind.ts";
import type { Surface } from "../context.ts";
import { unsupported } from "../errors.ts";
import { rulesOfTools } from "../sessions/permission-rules.ts";
import { type PromptInput, promptParts } from "./prompt-input.ts";

/** A variant that means none. */
const NO_VARIANT = "default";

/** The agent, model and mode for a prompt: as the client says, else as they were. */
export async function choiceOf(
  { environment, bus }: Surface,
  { agent: own, parent, directory }: SessionState,
  { model, agent }: Pick<PromptInput, "model" | "agent">,
): Promise<Partial<Choice>> {
  // A sub-agent is none of the providers. Its session takes no prompts, which the gateway says.
  if (parent !== undefined || (model === undefined && agent === undefined)) return {};
  const wish = present({ providerID: own, ...model, agent });
  return environment.catalog.chooseForPrompt(wish, directory, (message) => bus.warn(directory, message));
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
