import type { ParleyEvent } from "./events/event.ts";

/**
 * Names under which the log finds an event again without reading the session: what a prompt became, what was asked,
 * who answered. The first event with a name keeps it.
 */
export function keyOf(event: ParleyEvent): string | undefined {
  switch (event.type) {
    case "prompt.queued":
      return promptKey(event.data.prompt.id);
    case "turn.started":
      return event.data.prompt && promptKey(event.data.prompt.id);
    case "item.started": {
      const { item } = event.data;
      return item.kind === "message" && item.steered ? promptKey(item.id) : undefined;
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
      return undefined;
  }
}

export const promptKey = (id: string): string => `prompt:${id}`;
export const messageKey = (id: string): string => `message:${id}`;
export const askKey = (id: string): string => `ask:${id}`;
export const answerKey = (id: string): string => `answer:${id}`;
