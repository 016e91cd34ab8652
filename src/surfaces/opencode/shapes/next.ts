import type { PermissionRequest, QuestionInfo } from "./ask.ts";

// The newer half's own shapes: one message for each prompt, step, shell command, summary or change of mode and model, and
// the events from which clients make the same messages. Aliases, because they are read as plain records, too.

export type ModelRef = { id: string; providerID: string };
export type NextTokens = {
  input: number;
  output: number;
  reasoning: number;
  cache: { read: number; write: number };
};
type Source = { start: number; end: number; text: string };
export type NextFile = { uri: string; mime: string; name?: string; description?: string; source?: Source };
export type NextPrompt = { text: string; files?: NextFile[]; agents?: { name: string; source?: Source }[] };
export type NextError = { type: "unknown"; message: string };
export type ToolContent = { type: "text"; text: string } | { type: "file"; uri: string; mime: string; name?: string };

type Fields = Record<string, unknown>;

export type NextToolState =
  | { status: "pending"; input: string }
  | { status: "running"; input: Fields; structured: Fields; content: ToolContent[] }
  | { status: "completed"; input: Fields; structured: Fields; content: ToolContent[]; outputPaths: string[] }
  | { status: "error"; input: Fields; structured: Fields; content: ToolContent[]; error: NextError };

export type NextContent =
  | { type: "text"; id: string; text: string }
  | { type: "reasoning"; id: string; text: string; time?: { created: number; completed?: number } }
  | {
      type: "tool";
      id: string;
      name: string;
      provider?: { executed: boolean };
      state: NextToolState;
      time: { created: number; ran?: number; completed?: number };
    };

export type CompactionReason = "auto" | "manual";
type Times = { created: number; completed?: number };

export type NextAssistant = {
  type: "assistant";
  id: string;
  time: Times;
  agent: string;
  model: ModelRef;
  content: NextContent[];
  snapshot?: { files: string[] };
  finish?: string;
  cost?: number;
  tokens?: NextTokens;
  error?: NextError;
};

export type NextMessage =
  | ({ type: "user"; id: string; time: Times } & NextPrompt)
  | { type: "synthetic"; id: string; time: Times; sessionID: string; text: string }
  | { type: "agent-switched"; id: string; time: Times; agent: string }
  | { type: "model-switched"; id: string; time: Times; model: ModelRef }
  | { type: "shell"; id: string; time: Times; callID: string; command: string; output: string }
  | { type: "compaction"; id: string; time: Times; reason: CompactionReason; summary: string; recent: string }
  | NextAssistant;

export type NextFileDiff = {
  path: string;
  status: "added" | "modified" | "deleted";
  additions: number;
  deletions: number;
  patch: string;
};
export type RevertState = { messageID: string; partID?: string; diff?: string; files?: NextFileDiff[] };

type Step = { assistantMessageID: string };
type Call = Step & { callID: string };
type Executed = { provider: { executed: boolean } };
type Prompted = { messageID: string; prompt: NextPrompt; delivery: "steer" | "queue" };

/** The data of the events of `session.next.`, without the time and the session that all of them have. */
export type NextEvents = {
  "agent.switched": { messageID: string; agent: string };
  "model.switched": { messageID: string; model: ModelRef };
  "prompt.admitted": Prompted;
  prompted: Prompted;
  synthetic: { messageID: string; text: string };
  "shell.started": { messageID: string; callID: string; command: string };
  "shell.ended": { callID: string; output: string };
  "step.started": Step & { agent: string; model: ModelRef };
  "step.ended": Step & { finish: string; cost: number; tokens: NextTokens; files: string[] };
  "step.failed": Step & { error: NextError };
  "text.started": Step & { textID: string };
  "text.delta": Step & { textID: string; delta: string };
  "text.ended": Step & { textID: string; text: string };
  "reasoning.started": Step & { reasoningID: string };
  "reasoning.delta": Step & { reasoningID: string; delta: string };
  "reasoning.ended": Step & { reasoningID: string; text: string };
  "tool.input.started": Call & { name: string };
  "tool.input.ended": Call & { text: string };
  "tool.called": Call & Executed & { tool: string; input: Fields };
  "tool.progress": Call & { structured: Fields; content: ToolContent[] };
  "tool.success": Call & Executed & { structured: Fields; content: ToolContent[]; outputPaths: string[] };
  "tool.failed": Call & Executed & { error: NextError };
  retried: { attempt: number; error: { message: string; isRetryable: boolean } };
  "compaction.started": { messageID: string; reason: CompactionReason };
  "compaction.delta": { messageID: string; text: string };
  "compaction.ended": { messageID: string; reason: CompactionReason; text: string; recent: string };
  "revert.staged": { revert: RevertState };
  "revert.cleared": object;
  "revert.committed": { messageID: string };
};

export type NextName = keyof NextEvents;

/** An event of the newer streams before it has an id and a number. */
export interface NextEvent {
  type: string;
  data: Fields;
  /** Whether it is kept, and told again to clients that come back. */
  durable: boolean;
}

/** A permission that is asked for, as the newer half has it. */
export type NextPermission = Pick<PermissionRequest, "id" | "sessionID" | "metadata"> & {
  action: string;
  resources: string[];
  save: string[];
  source?: { type: "tool"; messageID: string; callID: string };
};

export type { QuestionInfo };
