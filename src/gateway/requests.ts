import type { McpServer } from "../agents/contract.ts";
import type { Delivery, OptionValues, PermissionRule, PromptPart, Task } from "../core/events/values.ts";
import type { OpenAsk } from "../core/session-state.ts";

export interface NewSessionRequest {
  agent?: string;
  directory: string;
  /** Whether the client named no directory, so that it is the process's own. */
  unnamed?: boolean;
  /** The place that has the directory, where nodes of several places share the log. */
  place?: string;
  model?: string;
  mode?: string;
  options?: OptionValues;
  title?: string;
  /** Rules that answer asks before a person does. */
  permissions?: PermissionRule[];
  /** Entries that a client keeps with the session. */
  meta?: Record<string, unknown>;
  /** Servers of tools for its agent. They are kept apart from the log. */
  mcpServers?: McpServer[];
  /** The agent's own id of a session that it keeps: the session goes on with that one, and its agent starts at once. */
  resume?: string;
  /** Starts its agent now, so that the first prompt does not wait for it. A start that fails is told by the first prompt, which tries again. */
  start?: boolean;
}

/** A change of a session. */
export interface SessionChange {
  /** Only before the first turn: another agent would not know the conversation. */
  agent?: string;
  title?: string;
  model?: string;
  mode?: string;
  options?: OptionValues;
  permissions?: PermissionRule[];
  meta?: Record<string, unknown>;
}

export interface PromptRequest {
  id?: string;
  /** The agent that is to answer, where it is not the session's own: see SessionChange. */
  agent?: string;
  parts: PromptPart[];
  delivery?: Delivery;
  model?: string;
  mode?: string;
  options?: OptionValues;
  /** Further instructions for this turn. */
  system?: string;
  task?: Task;
  /** The session's rules from the prompt's turn on, in place of those before. */
  permissions?: PermissionRule[];
  /** The client can show questions and answer them, also before the agent starts. */
  attended?: boolean;
  /** Entries that a client keeps with the prompt. */
  extras?: Record<string, unknown>;
  /** The hash of the client's request, where Parley made the parts from it. */
  digest?: string;
}

/** An open ask, with the session that asks. */
export type PendingAsk = OpenAsk & { session: string; about: AskingSession };

/** The facts of a session that asks, for people who see the ask in a list. */
export interface AskingSession {
  title?: string;
  agent: string;
  directory: string;
  /** The topmost session, where a sub-agent asks. */
  root?: string;
}
