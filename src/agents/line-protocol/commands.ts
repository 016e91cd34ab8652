import type { OptionValues, Prompt } from "../../core/events/values.ts";
import type { Answer } from "../../core/ledger/signals.ts";

/** Raised when a command or a signal changes its meaning. */
export const PROTOCOL = 1;

/** What Parley says to a program, one JSON object in each line of its stdin. */
export type Command =
  | {
      type: "open";
      protocol: number;
      session: string;
      directory: string;
      /** Whether the user trusts the directory; where it is not, nothing of the project may run by itself. */
      trusted: boolean;
      model?: string;
      mode?: string;
      options?: OptionValues;
      resume?: string;
    }
  | { type: "prompt"; prompt: Prompt }
  | { type: "steer"; prompt: Prompt }
  | { type: "cancel" }
  | { type: "answer"; ask: string; answer: Answer }
  | { type: "decide"; ask: string; verdict: "go" | "ask" }
  | { type: "set"; model?: string; mode?: string; options?: OptionValues }
  | { type: "close" };

export function encodeCommand(command: Command): string {
  return JSON.stringify(command);
}
