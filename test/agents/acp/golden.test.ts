import { type Fields, fieldsIn, jsonIn } from "../../../src/core/json/fields.ts";
import { goldenSuite } from "../replay/golden-suite.ts";
import { textOf } from "../replay/recording.ts";
import { AcpReplay } from "./replay.ts";

/** Updates that nothing tells from others of the same words: pieces, notices and counts. */
const UNNUMBERED: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "user_message_chunk",
  "notice",
  "usage_update",
  "plan",
]);

function mayRepeat(text: string): boolean {
  const { method, params = {} } = jsonIn(text) as { method?: string; params?: Fields };
  if (method === "session/request_permission") return false;
  const update = fieldsIn(params, "update");
  return !UNNUMBERED.has(update.sessionUpdate) && fieldsIn(update, "_meta").terminal_output_delta === undefined;
}

goldenSuite({
  agent: "acp",
  title: "agents of the Agent Client Protocol",
  count: 9,
  open: () => new AcpReplay(),
  mayRepeat: (line) => mayRepeat(textOf(line)),
});
