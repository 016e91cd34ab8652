import type {
  AgentOption,
  AskOption,
  EndReason,
  Failure,
  FileChange,
  Limit,
  OptionValues,
  PlanEntry,
  PromptPart,
  Question,
  Usage,
} from "../events/values.ts";

/**
 * A statement of an adapter about its agent. Keys (`item`, `call`, `ask`) are the agent's own ids and name one thing for as long as
 * the session lives: a key that was used in an earlier turn speaks of that turn. Signals may come late, out of order and
 * more than once; the ledger makes lawful events of them.
 */
export type Signal =
  | SessionSignal
  /** The agent tells the past of the session once more, until `replay.ended`: see `OpenOptions.resume` of the agents' contract. */
  | { type: "replay.begun" }
  | { type: "replay.prompt"; parts: PromptPart[] }
  | { type: "replay.ended" }
  /** `turn` is the agent's id of the turn, where it has one: it tells a repeated end from the next turn's. */
  | { type: "turn.begun"; turn?: string }
  /** `point`, here and of a step: the agent's own name of the place in its memory that it has reached. */
  | { type: "turn.finished"; turn?: string; reason: EndReason; usage?: Usage; error?: Failure; point?: string }
  /** `summary`: its message is to stand for the conversation before it. */
  | { type: "step.begun"; step?: string; summary?: boolean }
  | { type: "step.finished"; step?: string; finish?: string; usage?: Usage; point?: string }
  | TextSignal
  /** The whole text: what was streamed before is corrected where it differs. */
  | { type: "text.done"; item: string; kind?: TextKind; role?: Role; text?: string; parentCall?: string }
  /** The streamed text was wrong: the agent started over. */
  | { type: "text.replaced"; item: string; text: string }
  | { type: "text.retracted"; item: string }
  /** Names the speaker of an item whose deltas came first. */
  | { type: "text.known"; item: string; kind: TextKind; role?: Role }
  | ToolSeen
  | { type: "tool.output"; call: string; delta: string }
  | ToolDone
  /** The agent lets the call go on after the turn. */
  | { type: "tool.backgrounded"; call: string }
  | PermissionSignal
  | IntentSignal
  | QuestionSignal
  | { type: "ask.withdrawn"; ask: string }
  | { type: "status"; status: "running" | "compacting" }
  | { type: "status"; status: "retrying"; attempt: number; message: string; next: number }
  | { type: "plan"; entries: PlanEntry[] }
  | { type: "usage"; usage: Usage }
  /** Limits that are new or changed. */
  | { type: "limits"; limits: Limit[] }
  | { type: "note"; level: "info" | "warn" | "error"; text: string; code?: string }
  /** Something went wrong. It ends no turn by itself; if the turn ends in error, this says why. */
  | { type: "error"; error: Failure }
  | { type: "unparsed"; reason: string; sample?: string; count: number; bytes?: number }
  | { type: "exited"; code: number | null; signal: string | null; stderr: string[] };

/** Facts of the session that the agent knows better than Parley. */
export interface SessionSignal {
  type: "session";
  nativeId?: string;
  title?: string;
  model?: string;
  mode?: string;
  /** The options that it names are in force; the others stay as they were. */
  options?: OptionValues;
  /** All options that the agent offers from now on. One that is not among them is no longer in force. */
  offers?: AgentOption[];
  resume?: "resumed" | "lost";
}

export type Role = "user" | "assistant" | "system";
export type TextKind = "message" | "reasoning";

export interface TextSignal {
  type: "text";
  item: string;
  /** Absent: not known yet. The ledger holds the text back until it is. */
  kind?: TextKind;
  role?: Role;
  delta: string;
  parentCall?: string;
}

export interface ToolSeen {
  type: "tool.seen" | "tool.running";
  call: string;
  name?: string;
  title?: string;
  input?: unknown;
  inputDelta?: string;
  parentCall?: string;
  metadata?: Record<string, unknown>;
  /** The session of the sub-agent that the call started. Parley sets it, not the agent. */
  child?: string;
}

export interface ToolDone {
  type: "tool.done";
  call: string;
  ok: boolean;
  /** The whole output; what was streamed before is corrected where it differs. */
  output?: string;
  content?: unknown[];
  error?: Failure;
  files?: FileChange[];
  title?: string;
  metadata?: Record<string, unknown>;
}

export interface PermissionSignal {
  type: "permission";
  ask: string;
  action: string;
  /** The whole line of shell that would be run. Rules are applied to each command in it. */
  command?: string;
  /** The patterns that an "always" would allow. */
  patterns?: string[];
  title?: string;
  call?: string;
  input?: unknown;
  options?: AskOption[];
  metadata?: Record<string, unknown>;
}

/** The agent is about to do something without asking. Only a rule may object; the agent hears of it under the key `ask`. */
export type IntentSignal = Omit<PermissionSignal, "type" | "options"> & { type: "intent" };

export interface QuestionSignal {
  type: "question";
  ask: string;
  questions: Question[];
  kind?: string;
  call?: string;
  metadata?: Record<string, unknown>;
}

/** The answer of a person or a rule to an ask. `stop`: the turn ends once the call is settled, where the agent can do that. */
export type Answer =
  | { kind: "permission"; outcome: "once" | "always" | "reject"; feedback?: string; stop?: boolean }
  | { kind: "question"; outcome: "answered"; answers: string[][] }
  | { kind: "question"; outcome: "rejected"; feedback?: string; stop?: boolean };
