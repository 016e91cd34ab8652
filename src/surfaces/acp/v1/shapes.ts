import type {
  AvailableCommand,
  SessionUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { parseDiff } from "../../../core/diff/patch.ts";
import type { FileChange, PlanEntry } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { ShownCommand } from "../translate/commands.ts";
import type { Call, CallContent, CallMeta, Role } from "../translate/updates.ts";

const CHUNKS = { user: "user_message_chunk", agent: "agent_message_chunk", thought: "agent_thought_chunk" } as const;

/** The name of the chunks of a role. */
export function chunkOf(role: Role): "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" {
  return CHUNKS[role];
}

/** A change of a file, hunk by hunk: the protocol has texts before and after, and a diff has only the changed places. */
function diffContent(file: FileChange): ToolCallContent[] {
  const { path, kind, diff } = file;
  if (diff === undefined) return [];
  const hunks = parseDiff(diff);
  return hunks.map(({ before, after }) => ({
    type: "diff",
    path,
    ...(kind === "added" ? { oldText: null } : { oldText: before.join("") }),
    newText: after.join(""),
  }));
}

function contentOf(part: CallContent): ToolCallContent[] {
  switch (part.type) {
    case "text":
      return [{ type: "content", content: { type: "text", text: part.text } }];
    case "image":
      return [{ type: "content", content: { type: "image", data: part.data, mimeType: part.mimeType } }];
    case "link":
      return [
        {
          type: "content",
          content: { type: "resource_link", uri: part.uri, name: part.name, ...present({ mimeType: part.mimeType }) },
        },
      ];
    case "diff":
      return diffContent(part.file);
  }
}

export function metaOf(meta: CallMeta | undefined): { _meta?: { parley: CallMeta } } {
  return meta === undefined ? {} : { _meta: { parley: meta } };
}

/** The news of a call as the fields of `tool_call` and `tool_call_update`. */
export function callFields(id: string, { content, meta, ...news }: Partial<Call>): ToolCallUpdate {
  return { toolCallId: id, ...news, ...present({ content: content?.flatMap(contentOf) }), ...metaOf(meta) };
}

export function commandShapes(commands: readonly ShownCommand[]): AvailableCommand[] {
  return commands.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint === undefined ? {} : { input: { hint } }),
  }));
}

/** A plan. An entry that was given up counts as done: version 1 has no other word. */
export function planUpdate(entries: readonly PlanEntry[]): SessionUpdate {
  return {
    sessionUpdate: "plan",
    entries: entries.map(({ text, status, priority = "medium" }) => ({
      content: text,
      priority,
      status: status === "cancelled" ? "completed" : status,
    })),
  };
}
