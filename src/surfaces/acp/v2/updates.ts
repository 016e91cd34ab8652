import type * as acp from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { TurnStatus } from "../../../core/events/values.ts";
import { present } from "../../../core/json/fields.ts";
import type { SessionState } from "../../../core/session-state.ts";
import { turnError } from "../errors.ts";
import { textBlock } from "../translate/message-content.ts";
import { failureOf, stopReason, turnUsage } from "../translate/outcome.ts";
import type { Role, TurnEnd, Update } from "../translate/updates.ts";
import { callFields, commandShapes, planUpdate } from "./shapes.ts";

const WHOLE = { user: "user_message", agent: "agent_message", thought: "agent_thought" } as const;

function whole(role: Role, messageId: string, content: acp.ContentBlock[]): acp.SessionUpdate {
  return { sessionUpdate: WHOLE[role], messageId, content } as acp.SessionUpdate;
}

function stateOf(status: TurnStatus): acp.SessionUpdate {
  if (status.status === "requires_action") return { sessionUpdate: "state_update", state: "requires_action" };
  if (status.status !== "retrying") return { sessionUpdate: "state_update", state: "running" };
  const { attempt, message, next } = status;
  const retrying = { attempt, message, next: new Date(next).toISOString() };
  return { sessionUpdate: "state_update", state: "running", _meta: { parley: { retrying } } };
}

/** The state of a session as a snapshot, which ends no turn. */
export function currentState(turn: SessionState["turn"], isAsked: boolean): acp.SessionUpdate {
  if (!turn) return { sessionUpdate: "state_update", state: "idle" };
  return stateOf(isAsked ? { status: "requires_action" } : turn.status);
}

export function isIdle(update: acp.SessionUpdate): boolean {
  return update.sessionUpdate === "state_update" && update.state === "idle";
}

/** The one idle state that ends a turn. */
function idle(end: TurnEnd): acp.SessionUpdate {
  const usage = turnUsage(end.usage);
  const reason = stopReason(end);
  const state = { sessionUpdate: "state_update" as const, state: "idle" as const, ...present({ usage }) };
  if (reason !== undefined) return { ...state, stopReason: reason } as acp.SessionUpdate;
  const { code, message, data } = turnError(failureOf(end));
  return { ...state, stopReason: "error", error: { code, message, data } };
}

/** The updates of version 2 for an update of the session. Those about its choices are made elsewhere: they need all of them. */
export function v2Updates(update: Update): acp.SessionUpdate[] {
  switch (update.type) {
    case "text": {
      const { role, message: messageId, content, summary } = update;
      if (summary)
        return content.map((block) => ({
          sessionUpdate: "compaction_summary_chunk",
          compactionId: summary.id,
          content: block,
        }));
      if (role === "user") return [whole(role, messageId, content)];
      const sessionUpdate = role === "agent" ? "agent_message_chunk" : "agent_thought_chunk";
      return content.map((block) => ({ sessionUpdate, messageId, content: block }) as acp.SessionUpdate);
    }
    case "replaced":
      return [whole(update.role, update.message, update.text === "" ? [] : [textBlock(update.text)])];
    case "call":
      return [{ sessionUpdate: "tool_call_update", ...callFields(update.id, update.news) }];
    case "plan":
      return [planUpdate(update.entries)];
    case "usage": {
      const { used, size, cost } = update;
      if (size === undefined) return [];
      const price = cost === undefined ? undefined : { amount: cost, currency: "USD" };
      return [{ sessionUpdate: "usage_update", used, size, ...present({ cost: price }) }];
    }
    case "info": {
      const updatedAt = new Date(update.updated).toISOString();
      return [{ sessionUpdate: "session_info_update", updatedAt, ...present({ title: update.title }) }];
    }
    case "notice": {
      const { level: severity, title, description } = update;
      return [{ sessionUpdate: "notice", severity, title, ...present({ description }) }];
    }
    case "compaction": {
      const { id: compactionId, status, error } = update;
      return [{ sessionUpdate: "compaction_update", compactionId, status, ...present({ error }) }];
    }
    case "turn":
      return [{ sessionUpdate: "state_update", state: "running" }];
    case "status":
      return [stateOf(update.status)];
    case "end":
      return update.end.turn === undefined ? [] : [idle(update.end)];
    case "commands":
      return [{ sessionUpdate: "available_commands_update", availableCommands: commandShapes(update.commands) }];
    case "choice":
    case "waits":
      return [];
  }
}
