import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { present } from "../../../core/json/fields.ts";
import { textBlock } from "../translate/message-content.ts";
import type { Update } from "../translate/updates.ts";
import { callFields, chunkOf, commandShapes, planUpdate } from "./shapes.ts";

/** The kinds of updates that the client said it can show. */
export interface Shows {
  notices: boolean;
  compaction: boolean;
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}

/** A text cannot be replaced: the new one is another message. */
function messageIdOf({ message, version }: { message: string; version?: number }): string {
  return version === undefined ? message : `${message}+${version}`;
}

/** The updates of version 1 for an update of the session. Those about its choices are made elsewhere: they need all of them. */
export function v1Updates(update: Update, shows: Shows, now: number): SessionUpdate[] {
  switch (update.type) {
    case "text": {
      const { role, content, summary } = update;
      const messageId = messageIdOf(update);
      if (summary && shows.compaction)
        return content.map((block) => ({
          sessionUpdate: "compaction_summary_chunk",
          compactionId: summary.id,
          content: block,
        }));
      if (summary && !summary.isAsked) return [];
      return content.map((block) => ({ sessionUpdate: chunkOf(role), messageId, content: block }));
    }
    case "replaced": {
      if (update.text === "") return [];
      const content = textBlock(update.text);
      return [{ sessionUpdate: chunkOf(update.role), messageId: messageIdOf(update), content }];
    }
    case "call": {
      if (!update.created) return [{ sessionUpdate: "tool_call_update", ...callFields(update.id, update.news) }];
      const { title, kind, status } = update.call;
      const fields = callFields(update.id, update.call);
      const { content, locations } = fields;
      return [
        {
          ...fields,
          sessionUpdate: "tool_call",
          title,
          kind,
          status,
          content: content ?? [],
          locations: locations ?? [],
        },
      ];
    }
    case "plan":
      return [planUpdate(update.entries)];
    case "usage": {
      const { used, size, cost } = update;
      if (size === undefined) return [];
      const price = cost === undefined ? undefined : { amount: cost, currency: "USD" };
      return [{ sessionUpdate: "usage_update", used, size, ...present({ cost: price }) }];
    }
    case "info": {
      const { title, updated } = update;
      const updatedAt = new Date(updated).toISOString();
      return [{ sessionUpdate: "session_info_update", updatedAt, ...present({ title }) }];
    }
    case "notice": {
      const { level: severity, title, description } = update;
      return shows.notices ? [{ sessionUpdate: "notice", severity, title, ...present({ description }) }] : [];
    }
    case "waits":
      return shows.notices
        ? [
            {
              sessionUpdate: "notice",
              severity: "info",
              title: `The agent is busy: number ${update.position} in the queue`,
            },
          ]
        : [];
    case "status": {
      if (update.status.status !== "retrying" || !shows.notices) return [];
      const { attempt, message, next } = update.status;
      const title = `Retrying, attempt ${attempt}, in ${seconds(next - now)}`;
      return [{ sessionUpdate: "notice", severity: "warning", title, description: message }];
    }
    case "compaction": {
      const { id: compactionId, status, error } = update;
      return shows.compaction
        ? [{ sessionUpdate: "compaction_update", compactionId, status, ...present({ error }) }]
        : [];
    }
    case "commands":
      return [{ sessionUpdate: "available_commands_update", availableCommands: commandShapes(update.commands) }];
    case "choice":
    case "turn":
    case "end":
      return [];
  }
}
