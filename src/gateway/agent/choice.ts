import type { AgentChoice } from "../../agents/contract.ts";
import type { OptionValues } from "../../core/events/values.ts";
import { present } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import type { Facts } from "../../core/session-state.ts";

/** The model, mode and options of a session. */
export interface Choice {
  model?: string | undefined;
  mode?: string | undefined;
  options?: OptionValues | undefined;
}

export function choiceIn({ model, mode, options }: Facts): Choice {
  return present({ model, mode, options });
}

/** The part of a choice that is not in force. */
export function changeOf({ model, mode, options = {} }: Choice, inForce: Choice): AgentChoice {
  const other = Object.entries(options).filter(([id, value]) => inForce.options?.[id] !== value);
  return {
    ...(model === undefined || model === inForce.model ? {} : { model }),
    ...(mode === undefined || mode === inForce.mode ? {} : { mode }),
    ...(other.length === 0 ? {} : { options: Object.fromEntries(other) }),
  };
}

/** Notes what an agent says of its model, mode and options: it changes them by itself, too. */
export function noteSaid(inForce: Choice, signal: Signal): void {
  if (signal.type !== "session") return;
  if (signal.model !== undefined) inForce.model = signal.model;
  if (signal.mode !== undefined) inForce.mode = signal.mode;
  const { options, offers } = signal;
  if (options) inForce.options = { ...inForce.options, ...options };
  if (!offers || !inForce.options) return;
  const offered = Object.entries(inForce.options).filter(([id]) => offers.some((offer) => offer.id === id));
  inForce.options = Object.fromEntries(offered);
}
