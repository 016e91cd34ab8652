import type { ParleyEvent } from "./event.ts";

/**
 * The key by which the log finds an event again without reading the session: a prompt, a message, an ask or its answer.
 * The first event with a key keeps it.
 */
export function keyOf(event: ParleyEvent): string | undefined {
  switch (event.type) {
    case "prompt.queued":
      return promptKey(event.data.prompt.id);
    case "turn.started":
      return event.data.prompt && promptKey(event.data.prompt.id);
    case "item.started": {
      const { item } = event.data;
      if (item.kind !== "message" || item.role !== "user") return undefined;
      if (item.steered) return promptKey(item.id);
      return item.queued === undefined ? undefined : begunKey(item.id);
    }
    case "step.started":
      return messageKey(event.data.id);
    case "permission.requested":
    case "question.requested":
      return askKey(event.data.ask);
    case "permission.resolved":
    case "question.resolved":
      return answerKey(event.data.ask);
    default:
      event.type satisfies
        | `session.${"started" | "updated" | "ended" | "note" | "limits"}`
        | `turn.${"status" | "ended"}`
        | `item.${"updated" | "delta" | "completed"}`
        | `${"plan" | "usage"}.updated`
        | ("history.cut" | "prompt.withdrawn" | "step.ended" | "error" | "agent.unparsed");
      return undefined;
  }
}

export const promptKey = (id: string): string => `prompt:${id}`;
/** The key of the message with which a queued prompt began its turn. */
export const begunKey = (id: string): string => `begun:${id}`;
export const messageKey = (id: string): string => `message:${id}`;
export const askKey = (id: string): string => `ask:${id}`;
export const answerKey = (id: string): string => `answer:${id}`;
