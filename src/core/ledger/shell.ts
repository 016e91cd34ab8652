import type { Prompt, PromptPart } from "../events/values.ts";
import { addUntold } from "../untold.ts";
import type { Frame } from "./frame.ts";
import type { ToolDone } from "./signals.ts";
import type { LedgerTurn } from "./state.ts";

const HEAD = 3_000;
const TAIL = 3_000;

/** The text that the user wrote; of a prompt that Parley made, all its text. */
export function userText(parts: readonly PromptPart[]): string {
  const texts = parts.filter((part) => part.type === "text");
  const own = texts.filter((part) => !part.synthetic);
  return (own.length > 0 ? own : texts).map((part) => part.text).join("\n");
}

/** Remembers how the command of a shell turn went, for the agent. */
export function noteRan(frame: Frame, signal: ToolDone): void {
  if (frame.state.turn?.task?.type === "shell") frame.patchTurn({ ran: signal });
}

function shortened(text: string): string {
  const left = text.length - HEAD - TAIL;
  if (left <= 0) return text;
  return `${text.slice(0, HEAD)}\n(… ${left} characters left out …)\n${text.slice(-TAIL)}`;
}

function howItEnded(ran: ToolDone | undefined): string {
  if (!ran) return "it was interrupted";
  if (ran.error) return ran.error.message;
  return `exit code ${String(ran.metadata?.exitCode ?? "none")}`;
}

/** The text by which the agent learns of a command that the user ran, with its output, also when it was stopped early. */
function toldOf(command: string, { ran, calls }: LedgerTurn): string {
  const [open] = calls.values();
  const output = shortened(ran?.output ?? open?.result?.text ?? "");
  const gap = output === "" || output.endsWith("\n") ? "" : "\n";
  return `The user ran a command in the working directory before this message:\n$ ${shortened(command)}\n${output}${gap}(${howItEnded(ran)})`;
}

/** Keeps the result of a shell turn's command for the agent's next prompt. */
export function keepUntold(frame: Frame, turn: LedgerTurn): string | undefined {
  if (turn.task?.type !== "shell") return undefined;
  const text = toldOf(turn.task.command, turn);
  frame.patch({ untold: addUntold(frame.state.untold, { turn: turn.id, text }) });
  return text;
}

/** A prompt with the shell turns that the agent has not been told of yet. */
export function withUntold(frame: Frame, prompt: Prompt): Prompt {
  const { untold } = frame.state;
  if (prompt.task || untold.length === 0) return prompt;
  frame.patch({ untold: [] });
  const told: PromptPart[] = untold.map(({ text }) => ({ type: "text", text, synthetic: true }));
  return { ...prompt, parts: [...prompt.parts, ...told] };
}
