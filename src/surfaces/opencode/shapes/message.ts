import type { FileDiff, Tokens } from "./session.ts";

export interface UserMessage {
  id: string;
  sessionID: string;
  role: "user";
  time: { created: number };
  summary?: { title?: string; body?: string; diffs: FileDiff[] };
  agent: string;
  model: { providerID: string; modelID: string; variant?: string };
  system?: string;
  tools?: Record<string, boolean>;
}

export type MessageError =
  | { name: "ProviderAuthError"; data: { providerID: string; message: string } }
  | { name: "APIError"; data: { message: string; statusCode?: number; isRetryable: boolean } }
  | { name: "MessageAbortedError"; data: { message: string } }
  | { name: "UnknownError"; data: { message: string } };

export interface AssistantMessage {
  id: string;
  sessionID: string;
  role: "assistant";
  time: { created: number; completed?: number };
  error?: MessageError;
  parentID: string;
  modelID: string;
  providerID: string;
  mode: string;
  agent: string;
  path: { cwd: string; root: string };
  summary?: boolean;
  cost: number;
  tokens: Tokens;
  variant?: string;
  finish?: string;
}

export type Message = UserMessage | AssistantMessage;

interface PartCommon {
  id: string;
  sessionID: string;
  messageID: string;
}

export interface TextPart extends PartCommon {
  type: "text";
  text: string;
  synthetic?: boolean;
  ignored?: boolean;
  time?: { start: number; end?: number };
  metadata?: Record<string, unknown>;
}

export interface ReasoningPart extends PartCommon {
  type: "reasoning";
  text: string;
  time: { start: number; end?: number };
  metadata?: Record<string, unknown>;
}

interface SourceText {
  value: string;
  start: number;
  end: number;
}

interface Place {
  line: number;
  character: number;
}

/** Where in the prompt's text, or in which program, a file was named. */
export type FilePartSource =
  | { type: "file"; text: SourceText; path: string }
  | {
      type: "symbol";
      text: SourceText;
      path: string;
      range: { start: Place; end: Place };
      name: string;
      kind: number;
    }
  | { type: "resource"; text: SourceText; clientName: string; uri: string };

export interface FilePart extends PartCommon {
  type: "file";
  mime: string;
  filename?: string;
  url: string;
  source?: FilePartSource;
}

export type ToolState =
  | { status: "pending"; input: Record<string, unknown>; raw: string }
  | {
      status: "running";
      input: Record<string, unknown>;
      title?: string;
      metadata?: Record<string, unknown>;
      time: { start: number };
    }
  | {
      status: "completed";
      input: Record<string, unknown>;
      output: string;
      title: string;
      metadata: Record<string, unknown>;
      time: { start: number; end: number };
      attachments?: FilePart[];
    }
  | {
      status: "error";
      input: Record<string, unknown>;
      error: string;
      metadata?: Record<string, unknown>;
      time: { start: number; end: number };
    };

export interface ToolPart extends PartCommon {
  type: "tool";
  callID: string;
  tool: string;
  state: ToolState;
  metadata?: Record<string, unknown>;
}

export interface StepStartPart extends PartCommon {
  type: "step-start";
  snapshot?: string;
}

export interface StepFinishPart extends PartCommon {
  type: "step-finish";
  reason: string;
  snapshot?: string;
  cost: number;
  tokens: Tokens;
}

export interface PatchPart extends PartCommon {
  type: "patch";
  hash: string;
  files: string[];
}

export interface AgentPart extends PartCommon {
  type: "agent";
  name: string;
  source?: SourceText;
}

export interface SubtaskPart extends PartCommon {
  type: "subtask";
  prompt: string;
  description: string;
  agent: string;
  model?: { providerID: string; modelID: string };
  command?: string;
}

export interface CompactionPart extends PartCommon {
  type: "compaction";
  auto: boolean;
}

export type Part =
  | TextPart
  | ReasoningPart
  | FilePart
  | ToolPart
  | StepStartPart
  | StepFinishPart
  | PatchPart
  | AgentPart
  | SubtaskPart
  | CompactionPart;

export interface MessageWithParts {
  info: Message;
  parts: Part[];
}
