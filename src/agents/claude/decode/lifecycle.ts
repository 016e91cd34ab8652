import { type Fields, textIn } from "../../../core/json/fields.ts";
import { type Reading, without } from "./state.ts";

/** States in which the program will not do anything with a user line any more. */
const DROPPED: ReadonlySet<string> = new Set(["cancelled", "discarded", "refused"]);

/** The program tells what becomes of a user line: it is queued, begun, done, or dropped. */
export function onLifecycle(reading: Reading, line: Fields): void {
  const uuid = textIn(line, "command_uuid") ?? "";
  const state = textIn(line, "state") ?? "";
  const { waiting, unread, turn } = reading.state;
  if (state === "queued" || !waiting.has(uuid)) return;
  reading.patch({ waiting: without(waiting, uuid), unread: without(unread, uuid) });
  if (turn || !DROPPED.has(state)) return;
  const message = `Claude Code has ${state} the prompt before its turn began: send it again`;
  const error = { code: "agent_failed", message };
  reading.say({
    type: "turn.finished",
    ...(state === "cancelled" ? { reason: "cancelled" } : { reason: "error", error }),
  });
}

/** The program has begun a new conversation: its next turn has another id, and the context is empty. */
export function onReset(reading: Reading): void {
  const { context: _, ...rest } = reading.state;
  reading.state = rest;
  const text = "the agent began a new conversation: it no longer knows what was said before";
  reading.say({ type: "note", level: "info", code: "cleared", text });
}
