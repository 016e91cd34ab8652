import type { AgentOption, Delivery, OptionValues, PermissionRule, PromptPart } from "../core/events/values.ts";
import type { Activity, OpenAsk, SessionState } from "../core/session-state.ts";

export interface Health {
  status: string;
  name: string;
  version: string;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

type Modality = "text" | "image" | "audio" | "video" | "pdf";

/** A model. Facts that are not known of it are absent. */
export interface ModelInfo {
  id: string;
  name?: string;
  description?: string;
  /** The one that serves it, for an agent that has models of several. */
  provider?: string;
  family?: string;
  /** Tokens that fit into its context, that a prompt can have where these are less, and that one reply can have. */
  context?: number;
  input?: number;
  output?: number;
  /** `tiers`: the prices of prompts with more tokens than `above`. */
  price?: ModelPrice & { tiers?: (ModelPrice & { above: number })[] };
  reasoning?: boolean;
  images?: boolean;
  modalities?: { input: Modality[]; output: Modality[] };
  tools?: boolean;
  temperature?: boolean;
  attachments?: boolean;
  /** It thinks between calls of tools; a text is the field in which it does. */
  interleaved?: boolean | string;
  status?: "alpha" | "beta" | "active" | "deprecated";
  /** The day it came out, such as 2026-08-27. */
  released?: string;
  /** Those that are otherwise with this model. */
  options?: AgentOption[];
}

export interface AgentInfo {
  name: string;
  /** Whether a session that names no agent gets this one. */
  default: boolean;
  installed: boolean;
  version?: string;
  /** Where the program was found, or what to do when it was not. */
  detail?: string;
  credentials: "found" | "missing" | "not_needed" | "unknown";
  /** The way in which a person gives it credentials. */
  login?: string;
  models: ModelInfo[];
  /** The model of a session that names none, where it is not the first. */
  defaultModel?: string;
  /** It takes models that are not listed, too. */
  otherModels?: boolean;
  /** Its sessions may tell later of more models, modes and commands: look again with `kept`. */
  tellsMore?: boolean;
  /** `hidden`: the agent uses it by itself. */
  modes: { id: string; name?: string; description?: string; hidden?: boolean }[];
  /** Agents to which it gives work, that a prompt may name. */
  subagents?: { name: string; description?: string }[];
  /** Choices beside model and mode. */
  options?: AgentOption[];
  /** Called in a prompt by a slash and the name. */
  commands?: { name: string; description?: string; hint?: string; skill?: boolean }[];
  /** Features that not every agent has. */
  capabilities: {
    fork: boolean;
    rewind: boolean;
    compact: boolean;
    /** It lists its own earlier sessions. */
    sessions: boolean;
    /** The kinds of MCP servers that it takes. */
    mcp: ("stdio" | "http" | "sse")[];
  };
}

/** The state of a session now. */
export type Session = SessionState & { status: Activity };

/** With the numbers of its oldest kept and its newest event. */
export type SessionDetail = Session & { first: number; last: number };

export interface NewSession {
  /** One of `agents()`; the default agent otherwise. */
  agent?: string;
  /** An absolute path on the server's machine; the server's own directory otherwise. */
  directory?: string;
  /** The place that has the directory, where nodes of several places share a database: see `nodes()`. */
  place?: string;
  model?: string;
  mode?: string;
  /** Options of the agent by their ids, such as effort. */
  options?: OptionValues;
  title?: string;
  /** They decide asks before a person does; the last one that fits counts. */
  permissions?: PermissionRule[];
  /** Servers of tools for its agent. But for names and types nobody is told of them again. */
  mcpServers?: McpServer[];
  /** The agent's own id of a session that it keeps, see `agentSessions`. Its agent starts at once. */
  resume?: string;
  /** Its agent starts now: the first prompt does not wait for it. */
  start?: boolean;
}

export type McpServer =
  | { name: string; type: "stdio"; command: string; args?: string[]; env?: Record<string, string> }
  | { name: string; type: "http" | "sse"; url: string; headers?: Record<string, string> };

/** A session that an agent itself keeps. */
export interface NativeSession {
  id: string;
  title?: string;
  /** Epoch milliseconds. */
  updated?: number;
}

/** Another agent is possible only before the first turn. */
export type SessionChange = Omit<NewSession, "directory" | "place" | "mcpServers" | "resume" | "start">;

export interface SessionListQuery {
  directory?: string;
  /** Sub-agents' sessions of this session; without it, sessions of their own. */
  parent?: string;
  /** `next` of the page before. */
  after?: string;
  limit?: number;
}

export interface SessionList {
  sessions: Session[];
  /** Null on the last page. */
  next: string | null;
}

export interface PromptInput {
  /** msg_…; made by the client when absent. The same id with the same body is the same prompt. */
  id?: string;
  /** Short for parts with one text. */
  text?: string;
  parts?: PromptPart[];
  /** While the session is busy: queue (default), steer or reject. `context` begins no turn: the next prompt brings it along. */
  delivery?: Delivery;
  model?: string;
  mode?: string;
  /** Options of the agent by their ids, such as effort. */
  options?: OptionValues;
  /** Further instructions for this turn. */
  system?: string;
  /** A person looks at questions: one of kind `trust` may come before the agent starts. */
  attended?: boolean;
}

export interface Cancelled {
  cancelled: boolean;
  /** The turn that was stopped. */
  turn?: string;
}

/** An open permission or question, with the session that asks: it may be a sub-agent's. */
export type Ask = OpenAsk & { session: string };

/** An ask of a list, with the facts of its session. */
export type ListedAsk = Ask & { about: AskingSession };

/** The facts of a session that asks; `root` is the topmost session, where a sub-agent asks. */
export interface AskingSession {
  title?: string;
  agent: string;
  directory: string;
  root?: string;
}

export type AskAnswer =
  | "once"
  | "always"
  | "reject"
  | "rejected"
  /** `stop`, with a refusal: the turn ends with it, where the agent can do that. */
  | { outcome: "once" | "always" | "reject"; feedback?: string; stop?: boolean }
  /** One list for each question. */
  | { outcome: "answered"; answers: string[][] }
  | { outcome: "rejected"; feedback?: string; stop?: boolean };

export interface Answered {
  ask: string;
  outcome: string;
}

/** A link that lets one browser in to the console. */
export interface ConsoleLink {
  url: string;
  /** The same link by the addresses that other devices of the network reach. */
  others: string[];
  /** When it is no longer good; null where the server has no token. */
  expires: number | null;
}

/** One of the nodes that share a database. */
export interface ParleyNode {
  /** Counts the starts of all nodes. */
  node: number;
  name: string;
  /** The node that answered. */
  self: boolean;
  /** Where other nodes reach it; empty while it starts. */
  address: string;
  /** Nodes of one place have the same directories. */
  place: string;
  version: string;
  /** It takes no new sessions, and stops when its turns are over. */
  draining: boolean;
  /** Negative when its lease is over. */
  leaseLeftMs: number;
}

/** The changes of one file together; where these cannot be told as one, it is listed again. */
export interface FileDiff {
  /** From the session's directory; absolute where it lies outside. */
  path: string;
  kind: "added" | "modified" | "deleted" | "renamed";
  /** The path that it had before, where it was renamed. */
  from?: string;
  additions: number;
  deletions: number;
  /** Unified. */
  diff?: string;
  /** So many characters of the diff are left out. */
  cut?: { characters: number };
}

/** A slash command of a session. */
export interface SlashCommand {
  /** Without the slash. */
  name: string;
  description?: string;
  /** The words that it takes. */
  hint?: string;
  /** Whose it is: the agent's, the project's or Parley's own. */
  source: "agent" | "project" | "parley";
  skill?: boolean;
  /** The mode and the model that its author wants. */
  mode?: string;
  model?: string;
}

/** Beside the name and the words of a command, as for a prompt. */
export interface CommandInput extends Pick<PromptInput, "id" | "model" | "mode" | "options" | "attended"> {
  /** Further parts of the prompt that it becomes. */
  parts?: PromptPart[];
}

/** The name of a file or a directory, from the directory that was asked for. */
export interface FileName {
  path: string;
  directory: boolean;
}

/** A directory of sessions, or one of the server's own. */
export interface UsedDirectory {
  path: string;
  /** Without those of sub-agents. */
  sessions: number;
  /** When the last of them changed, in epoch milliseconds; absent where there is none. */
  updated?: number;
}
