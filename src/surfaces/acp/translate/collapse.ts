import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { textBlock } from "./message-content.ts";
import type { Update } from "./updates.ts";

function joined(before: readonly ContentBlock[], more: readonly ContentBlock[]): ContentBlock[] {
  const [last, first] = [before.at(-1), more[0]];
  if (last?.type !== "text" || first?.type !== "text") return [...before, ...more];
  return [...before.slice(0, -1), textBlock(last.text + first.text), ...more.slice(1)];
}

/** The key of updates that are one in the end; undefined for those that are only of their moment. */
function keyOf(update: Update): string | undefined {
  switch (update.type) {
    case "text":
    case "replaced":
      return `text ${update.message}`;
    case "call":
      return `call ${update.id}`;
    case "compaction":
      return `compaction ${update.id}`;
    case "plan":
    case "usage":
    case "info":
      return update.type;
    default:
      return undefined;
  }
}

function merged(before: Update | undefined, update: Update): Update {
  if (update.type === "call") return { ...update, created: true, news: update.call };
  if (update.type === "replaced")
    return { ...update, type: "text", content: update.text === "" ? [] : [textBlock(update.text)] };
  if (update.type === "info" && before?.type === "info") return { ...before, ...update };
  if (update.type !== "text" || before?.type !== "text") return update;
  return { ...update, content: joined(before.content, update.content) };
}

/** The updates of the past as if each thing had been told at once, in the order in which things began. */
export function collapse(updates: readonly Update[]): Update[] {
  const told = new Map<string, Update>();
  for (const update of updates) {
    const key = keyOf(update);
    if (key !== undefined) told.set(key, merged(told.get(key), update));
  }
  return [...told.values()].filter((update) => update.type !== "text" || update.content.length > 0);
}
