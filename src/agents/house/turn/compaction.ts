import type { ModelMessage } from "ai";
import type { Failure } from "../../../core/events/values.ts";
import { FULL } from "../model/retry.ts";
import { transcriptOf } from "../past/transcript.ts";
import type { StepEnd } from "./step.ts";
import { HOW, INSTRUCTIONS } from "./summary-words.ts";
import { makeTurn, type Turn } from "./turn.ts";

/** How full a context may be before the conversation is shortened. */
const NEARLY_FULL = 0.85;
/** How much of a context the conversation may take that is to be summarised. Few texts have fewer characters in a token. */
const SHARE = 0.6;
const CHARS_PER_TOKEN = 3;
const UNKNOWN_CONTEXT = 128_000;
/** How often a summary is tried. Each try gets half of the conversation of the one before. */
const TRIES = 4;

export type Compacted = { how: "done" } | { how: "stopped" } | { how: "lost"; error: Failure };
type AskModel = (
  turn: Turn,
  summary: boolean,
) => Promise<Exclude<StepEnd, { how: "failed" }> | { how: "lost"; error: Failure }>;

/** Stands for all that was said before. */
export function summaryMessage(text: string): ModelMessage {
  const words = `(The conversation was shortened. This is what happened so far.)\n\n${text}`;
  return { role: "user", content: [{ type: "text", text: words }] };
}

export function isNearlyFull({ context }: Turn["model"], used: number | undefined): boolean {
  return context !== undefined && used !== undefined && used >= context * NEARLY_FULL;
}

function summaryIn(messages: readonly ModelMessage[]): string {
  return messages
    .flatMap(({ role, content }) => (role === "assistant" && typeof content !== "string" ? content : []))
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n")
    .trim();
}

/** Has the model summarise the conversation. From then on the summary stands in its place, before what this turn was asked. */
export async function compact(turn: Turn, ask: AskModel): Promise<Compacted> {
  const { messages, asked, model } = turn;
  let room = (model.context ?? UNKNOWN_CONTEXT) * SHARE * CHARS_PER_TOKEN;
  turn.emit({ type: "status", status: "compacting" });
  for (let attempt = 1; ; attempt++, room /= 2) {
    const request = `${HOW}\n\n---\n\n${transcriptOf(messages, Math.floor(room))}`;
    const scratch: ModelMessage[] = [{ role: "user", content: [{ type: "text", text: request }] }];
    const own = { ...turn, messages: scratch, tools: [], instructions: INSTRUCTIONS, steered: async () => [] };
    const end = await ask(makeTurn(own), true);
    if (end.how === "stopped") return end;
    const full = end.how === "lost" ? end.error.code === FULL.code : end.full;
    if (full && attempt < TRIES) continue;
    if (end.how === "lost") return end;
    const summary = full ? "" : summaryIn(scratch);
    if (summary === "") {
      const message = "the model gave no summary: try again, or choose another model";
      return { how: "lost", error: { code: "compact_failed", message, retryable: true } };
    }
    messages.splice(0, messages.length, summaryMessage(summary), ...asked);
    turn.emit({ type: "status", status: "running" });
    return { how: "done" };
  }
}
