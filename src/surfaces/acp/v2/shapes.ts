import type * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { FileChange, PlanEntry } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { ShownCommand } from "../translate/commands.ts";
import type { Call, CallContent } from "../translate/updates.ts";
import { metaOf } from "../v1/shapes.ts";

function changeOf({ kind, path, from }: FileChange): acp.DiffChange {
  const fileType = "text";
  switch (kind) {
    case "added":
      return { operation: "add", path, fileType };
    case "deleted":
      return { operation: "delete", path, fileType };
    case "renamed":
      return from === undefined
        ? { operation: "modify", path, fileType }
        : { operation: "move", oldPath: from, path, fileType };
    case "modified":
      return { operation: "modify", path, fileType };
  }
}

function contentOf(part: CallContent): acp.ToolCallContent {
  switch (part.type) {
    case "text":
      return { type: "content", content: { type: "text", text: part.text } };
    case "image":
      return { type: "content", content: { type: "image", data: part.data, mimeType: part.mimeType } };
    case "link": {
      const { uri, name, mimeType } = part;
      return { type: "content", content: { type: "resource_link", uri, name, ...present({ mimeType }) } };
    }
    case "diff": {
      const { path, from = path, diff } = part.file;
      const head = `diff --git a${from} b${path}\n`;
      const patch = diff === undefined ? undefined : { format: "git_patch", text: `${head}${diff}` };
      return { type: "diff", changes: [changeOf(part.file)], ...present({ patch }) };
    }
  }
}

/** The news of a call as the fields of `tool_call_update`. */
export function callFields(id: string, { content, meta, ...news }: Partial<Call>): acp.ToolCallUpdate {
  return { toolCallId: id, ...news, ...present({ content: content?.map(contentOf) }), ...metaOf(meta) };
}

/** The one plan of a session. */
export function planUpdate(entries: readonly PlanEntry[]): acp.SessionUpdate {
  const shown = entries.map(({ text, status, priority = "medium" }) => ({ content: text, status, priority }));
  return { sessionUpdate: "plan_update", plan: { type: "items", planId: "plan", entries: shown } };
}

export function commandShapes(commands: readonly ShownCommand[]): acp.AvailableCommand[] {
  return commands.map(({ name, description, hint }) => ({
    type: "command",
    name,
    description,
    ...(hint === undefined ? {} : { input: { type: "text", hint } }),
  }));
}
