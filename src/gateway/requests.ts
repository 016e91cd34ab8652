import type { Delivery, PermissionRule, PromptPart, Task } from "../core/events/values.ts";
import type { OpenAsk } from "../core/session-state.ts";

export interface NewSessionRequest {
  agent?: string;
  directory: string;
  model?: string;
  mode?: string;
  title?: string;
  /** They decide asks before a person does. */
  permissions?: PermissionRule[];
  /** Kept for a client with the session. */
  meta?: Record<string, unknown>;
}

/** A change of a session. */
export interface SessionChange {
  /** Only before the first turn: an agent does not know the words that were said to another. */
  agent?: string;
  title?: string;
  model?: string;
  mode?: string;
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
  /** Further instructions for this turn. */
  system?: string;
  task?: Task;
  /** The session's rules from the prompt's turn on, in place of those before. */
  permissions?: PermissionRule[];
  /** Its client shows questions and can answer them, also before the agent starts. */
  attended?: boolean;
  /** Kept for a client with its prompt. */
  extras?: Record<string, unknown>;
  /** Of the client's request, where the parts were made from it. */
  digest?: string;
}

export type PendingAsk = OpenAsk & { session: string };
