import type { Discovery } from "../../../agents/contract.ts";
import type { AgentOption, OptionValues } from "../../../core/events/values.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { offeredOptions } from "../../../gateway/offered-options.ts";

/** The option that OpenCode's clients know as the variant of a model. */
const VARIANT = "effort";
/** The variant that means none, and the value of the option by which a model works as it does by itself. */
const NONE = "default";

function optionIn(offered: readonly AgentOption[]): AgentOption | undefined {
  return offered.find(({ id, kind }) => id === VARIANT && kind === "select");
}

function namesOf(option: AgentOption | undefined): string[] {
  return (option?.values ?? []).map(({ id }) => id).filter((id) => id !== NONE);
}

/** The variants of a model that clients may choose from. */
export function variantsOf(discovery: Discovery, model: string): string[] {
  return namesOf(optionIn(offeredOptions(discovery, model)));
}

/** The variant in force, as clients are shown it. */
export function variantIn(options: OptionValues | undefined): string | undefined {
  const value = options?.[VARIANT];
  return typeof value === "string" && value !== NONE ? value : undefined;
}

/** A client's choice of a variant: `said` where it names a model, which then has the variant or none. */
export interface VariantWish {
  model?: string | undefined;
  variant?: string | undefined;
  said: boolean;
}

/**
 * The options that a wish stands for. A variant that the model does not have is none, as with native. A client that names a model and no variant means none, so
 * the variant of the session, or of a prompt that waits, ends with it.
 */
export function optionsFor(
  { model, variant, said }: VariantWish,
  discovery: Discovery,
  session: Pick<SessionState, "model" | "offers" | "options" | "queue">,
): OptionValues | undefined {
  const option = optionIn(offeredOptions(discovery, model, session));
  if (variant !== undefined && namesOf(option).includes(variant)) return { [VARIANT]: variant };
  if (!option || (!said && variant === undefined)) return undefined;
  const chosen = [session, ...session.queue].some(({ options }) => options?.[VARIANT] !== undefined);
  const none = option.values?.some(({ id }) => id === NONE) ? NONE : option.default;
  return chosen && none !== undefined ? { [VARIANT]: none } : undefined;
}
