import type { SessionState } from "../../../core/session-state.ts";
import type { PromptRequest } from "../../../gateway/gateway.ts";
import type { Receipt } from "../../../gateway/receipt.ts";
import type { Surface } from "../context.ts";
import { unsupported } from "../errors.ts";
import { rulesOfTools } from "../sessions/permission-rules.ts";
import { type PromptInput, promptParts } from "./prompt-input.ts";

/** A variant that means none. */
const NO_VARIANT = "default";

/** Who is to answer, and how: as the client says, else as it was. */
async function choiceOf(
  { environment }: Surface,
  { agent: own, parent }: SessionState,
  { model, agent }: PromptInput,
): Promise<Pick<PromptRequest, "agent" | "model" | "mode">> {
  // A sub-agent is none of the providers; that its session takes no prompts is for the gateway to say.
  if (parent !== undefined || (model === undefined && agent === undefined)) return {};
  const { providerID = own, modelID } = model ?? {};
  return environment.catalog.choose({
    providerID,
    ...(modelID === undefined ? {} : { modelID }),
    ...(agent === undefined ? {} : { agent }),
  });
}

/**
 * The user agents of OpenCode's own programs and of browsers, which show questions to a person. Its `run` is one of them, and forbids questions by rules of its
 * session. A program that uses the SDK may wait for its answer and never look at a question.
 */
const SHOWS_QUESTIONS = /^(opencode|Mozilla)\//;

/** What a client wants to see again in the message of its prompt. */
function extrasOf({ tools, variant }: PromptInput): Record<string, unknown> | undefined {
  const shown = variant === undefined || variant === NO_VARIANT ? {} : { variant };
  const extras = { ...shown, ...(tools ? { tools } : {}) };
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
  const extras = extrasOf(input);
  return gateway.prompt(id, {
    parts,
    ...choice,
    ...(messageID === undefined ? {} : { id: messageID }),
    ...(noReply ? { delivery: "context" } : {}),
    ...(system === undefined || system === "" ? {} : { system }),
    // A prompt that names no tool says nothing of what is allowed.
    ...(rules.length > 0 ? { permissions: rules } : {}),
    ...(extras ? { extras } : {}),
    ...(SHOWS_QUESTIONS.test(client ?? "") ? { attended: true } : {}),
  });
}
