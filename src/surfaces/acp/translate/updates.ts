import type { ContentBlock, ToolKind } from "@agentclientprotocol/sdk/unstable";
import type { EndReason, Failure, FileChange, PlanEntry, TurnStatus, Usage } from "../../../core/events/values.ts";
import type { ShownCommand } from "./commands.ts";

/** A piece of a call's output. The path of a diff is absolute. */
export type CallContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "link"; uri: string; name: string; mimeType?: string }
  | { type: "diff"; file: FileChange };

export interface Location {
  path: string;
  line?: number;
}

export type CallStatus = "pending" | "in_progress" | "completed" | "failed";

/** A call as clients of the protocol know it. */
export interface Call {
  title: string;
  name: string;
  kind: ToolKind;
  status: CallStatus;
  content: CallContent[];
  locations: Location[];
  rawInput?: unknown;
  rawOutput?: unknown;
  /** Facts for `_meta.parley`: the sub-agent whose call it is, the session that it started. */
  meta?: CallMeta;
}

export interface CallMeta {
  /** The sub-agent's session in which the call was made, and the call that started that sub-agent. */
  session?: string;
  parentCall?: string;
  /** The session of the sub-agent that the call started. */
  child?: string;
  background?: boolean;
}

/** How a turn ended, or why a prompt got none. */
export interface TurnEnd {
  turn?: string;
  prompt?: string;
  reason: EndReason | "withdrawn" | "deleted" | "lost";
  usage?: Usage;
  error?: Failure;
}

/** A compaction whose summary a text is part of. `isAsked`: its turn is for nothing else, so that the summary is the answer. */
export interface Summary {
  id: string;
  isAsked: boolean;
}

export type Role = "user" | "agent" | "thought";

interface TextFacts {
  role: Role;
  message: string;
  /** How often the message was replaced before. */
  version?: number;
  summary?: Summary;
}

/** News of a session in the words of no version of the protocol. */
export type Update =
  | (TextFacts & { type: "text"; content: ContentBlock[] })
  /** A message as a whole, in place of what was told of it. Empty: it was taken back. */
  | (TextFacts & { type: "replaced"; text: string })
  | { type: "call"; id: string; created: boolean; news: Partial<Call>; call: Call }
  | { type: "plan"; entries: PlanEntry[] }
  | { type: "usage"; used: number; size?: number; cost?: number }
  | { type: "info"; title?: string; updated: number }
  /** Model, mode, options or what is offered of them changed. */
  | { type: "choice" }
  | { type: "commands"; commands: ShownCommand[] }
  | { type: "notice"; level: "info" | "warning" | "error"; title: string; description?: string }
  | { type: "compaction"; id: string; status: "in_progress" | "completed" | "failed" | "cancelled"; error?: string }
  /** A prompt waits, at a place of the queue. */
  | { type: "waits"; prompt: string; position: number }
  | { type: "turn"; turn: string; prompt?: string }
  | { type: "status"; status: TurnStatus }
  | { type: "end"; end: TurnEnd };
