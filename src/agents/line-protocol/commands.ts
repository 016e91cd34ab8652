import type { OptionValues, Prompt } from "../../core/events/values.ts";
import type { Answer } from "../../core/ledger/signals.ts";
import type { McpServer } from "../contract.ts";

/** Raised when a command or a signal changes its meaning. */
export const PROTOCOL = 1;

/** A question that a program is started for, in place of `open`: it answers with one line. Sent only to programs that were declared able to. */
export type Request =
  | { type: "discover"; protocol: number; directory: string; trusted: boolean }
  | { type: "sessions"; protocol: number; directory: string; trusted: boolean }
  | { type: "fork"; protocol: number; directory: string; trusted: boolean; resume: string };

/** A line from Parley to a program: one JSON object in each line of its stdin. */
export type Command =
  | Request
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
      mcpServers?: readonly McpServer[];
      resume?: string;
    }
  | { type: "prompt"; prompt: Prompt }
  /** Answered by `rewound`, or by `rewind_failed` where it still remembers them. */
  | { type: "rewind"; turns: readonly (readonly string[])[] }
  | { type: "steer"; prompt: Prompt }
  | { type: "cancel" }
  | { type: "answer"; ask: string; answer: Answer }
  | { type: "decide"; ask: string; verdict: "go" | "ask" }
  | { type: "set"; model?: string; mode?: string; options?: OptionValues }
  | { type: "close" };

export function encodeCommand(command: Command): string {
  return JSON.stringify(command);
}
