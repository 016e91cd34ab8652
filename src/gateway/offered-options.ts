import type { Discovery } from "../agents/contract.ts";
import type { AgentOption } from "../core/events/values.ts";
import type { SessionState } from "../core/session-state.ts";

/** The options of an agent with a model, the session's own unless told: as the session was offered them, or as the agent lists them. */
export function offeredOptions(
  discovery: Discovery,
  model: string | undefined,
  session: Pick<SessionState, "model" | "offers"> = {},
): readonly AgentOption[] {
  // The options that a session was offered were those of its model.
  const offers = model === undefined || model === session.model ? session.offers : undefined;
  return offers ?? optionsOf(discovery, model ?? session.model);
}

/** A model that is not listed is taken to have the options of the default one. */
function optionsOf({ models, defaultModel, options = [] }: Discovery, model: string | undefined): AgentOption[] {
  const usual = defaultModel ?? models[0]?.id;
  const listed = models.some(({ id }) => id === model);
  const own = models.find(({ id }) => id === (listed ? model : usual))?.options ?? [];
  return [...options.filter(({ id }) => !own.some((option) => option.id === id)), ...own];
}
