import type { ParleyEvent } from "../events/event.ts";
import type { FileChange } from "../events/values.ts";
import { unansweredId } from "./unanswered.ts";

/** A turn of the past, with all that is needed to cut it. */
export interface PastTurn {
  id: string;
  /** Number of its `turn.started`. */
  seq: number;
  /** Ids of its messages, in order: prompts, and each of the agent's steps, or what stands for them. */
  messages: string[];
  /** Ids of the prompts that the agent was given in it. Absent: the agent had no part in it. */
  prompts?: string[];
  /** The changes of files that a revert takes back. */
  changes: FileChange[];
}

/** The messages that an event begins: prompts and context of a turn, a step, a steered prompt. */
export function messagesOf(event: ParleyEvent): string[] {
  switch (event.type) {
    case "turn.started":
      return [...(event.data.context ?? []), ...(event.data.prompt ? [event.data.prompt] : [])].map(({ id }) => id);
    case "step.started":
      return [event.data.id];
    case "item.started": {
      const { item } = event.data;
      return item.kind === "message" && item.steered ? [item.id] : [];
    }
    default:
      event.type satisfies
        | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
        | `prompt.${"queued" | "withdrawn"}`
        | `turn.${"status" | "ended"}`
        | `item.${"updated" | "delta" | "completed"}`
        | `${"permission" | "question"}.${"requested" | "resolved"}`
        | `${"plan" | "usage"}.updated`
        | ("history.cut" | "step.ended" | "error" | "agent.unparsed");
      return [];
  }
}

/** A prompt to which the agent has not begun a step. */
interface Unanswered {
  turn: string;
  prompt: string;
}

function unansweredBy(event: ParleyEvent): Unanswered | undefined {
  if (event.type !== "turn.started" || event.turn === undefined) return undefined;
  const { prompt } = event.data;
  return prompt && !prompt.task ? { turn: event.turn, prompt: prompt.id } : undefined;
}

/** The turns that are part of the conversation, oldest first. */
export function turnsOf(events: readonly ParleyEvent[]): PastTurn[] {
  const turns = new Map<string, PastTurn>();
  let open: Unanswered | undefined;
  for (const event of events) {
    open = unansweredBy(event) ?? (event.type === "step.started" ? undefined : open);
    if (event.type === "history.cut") for (const id of event.data.turns) turns.delete(id);
    if (event.turn === undefined) continue;
    if (event.type === "turn.started")
      turns.set(event.turn, {
        id: event.turn,
        seq: event.seq,
        messages: [],
        ...(event.data.prompt?.task?.type === "shell" ? {} : { prompts: [] }),
        changes: [],
      });
    const turn = turns.get(event.turn);
    turn?.messages.push(...messagesOf(event));
    if (event.type !== "step.started") turn?.prompts?.push(...messagesOf(event));
    if (event.type === "turn.ended" && open?.turn === event.turn) turn?.messages.push(unansweredId(open.prompt));
    if (event.type === "item.completed" && event.data.item.kind === "tool_result")
      turn?.changes.push(...(event.data.item.files ?? []).filter(({ elsewhere }) => !elsewhere));
  }
  return [...turns.values()];
}
