import type { ParleyEvent } from "../core/events/event.ts";
import type { AgentOption, OptionValues, PermissionRule, Prompt } from "../core/events/values.ts";
import type { Answer, Signal } from "../core/ledger/signals.ts";
import type { ProjectSetting } from "../core/trust.ts";

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Other prices for long prompts, the shortest first. */
  tiers?: PriceTier[];
}

/** The price of a prompt with more tokens than that. */
export type PriceTier = Omit<Price, "tiers"> & { above: number };

export type Modality = "text" | "image" | "audio" | "video" | "pdf";

/** A model. Facts that are not known of it are absent. */
export interface AgentModel {
  id: string;
  name?: string;
  description?: string;
  /** The name of the one that serves it, for an agent that has models of several. */
  provider?: string;
  /** The name that models of one making share, such as claude-opus. */
  family?: string;
  /** Tokens that fit into its context. */
  context?: number;
  /** Tokens that a prompt can have, where these are less than the context. */
  input?: number;
  /** Tokens that one answer can have. */
  output?: number;
  price?: Price;
  /** Whether it can think before it answers. */
  reasoning?: boolean;
  /** Whether it takes pictures. */
  images?: boolean;
  /** All that it takes and gives. */
  modalities?: { input: Modality[]; output: Modality[] };
  /** Whether it can call tools. */
  tools?: boolean;
  /** Whether its temperature can be chosen. */
  temperature?: boolean;
  /** Whether it takes files with a prompt. */
  attachments?: boolean;
  /** Whether it thinks between calls of tools; a text is the field in which it does. */
  interleaved?: boolean | string;
  status?: "alpha" | "beta" | "active" | "deprecated";
  /** The day it came out, such as 2026-08-27. */
  released?: string;
  /** Options that are otherwise with this model: each stands in place of the agent's own of the same id. */
  options?: AgentOption[];
}

export interface AgentMode {
  /** The mode in which an agent works by itself comes first, and is called `default` or `build`. */
  id: string;
  name?: string;
  description?: string;
  /** The agent uses it by itself; people are not offered it. */
  hidden?: boolean;
}

export interface Subagent {
  name: string;
  description?: string;
}

/** A command of the agent's own: a prompt that begins with `/` and its name calls it. */
export interface AgentCommand {
  name: string;
  description?: string;
  /** The arguments that it takes, in a few words. */
  hint?: string;
  /** It is a skill, which the agent also uses by itself. */
  skill?: boolean;
}

/** The facts of an agent that are known without a session. */
export interface Discovery {
  /** The agent's name as its makers write it. */
  title?: string;
  installed: boolean;
  version?: string;
  /** Where the program was found, or what to do when it was not. */
  detail?: string;
  /** Whether a turn can be expected to work; `unknown` where only a real call would tell. */
  credentials: "found" | "missing" | "not_needed" | "unknown";
  /** How a person gives it credentials. */
  login?: string;
  models: AgentModel[];
  /** The model of a session that names none, where it is not the first. */
  defaultModel?: string;
  /** It takes models that it does not list, too: aliases, full names, names of a gateway. The agent itself refuses those that it cannot use. */
  otherModels?: boolean;
  /** Its sessions may tell later of more models, modes and commands: this object has them then. */
  tellsMore?: boolean;
  /** The first is that of a session that names none. */
  modes: AgentMode[];
  /** Agents to which it gives work, that a prompt may name. */
  subagents?: Subagent[];
  /** Choices beside model and mode, such as effort. Absent: it has none. */
  options?: AgentOption[];
  commands?: AgentCommand[];
}

/** A directory that an agent is asked about, and whether the user trusts it: see `OpenOptions.trusted`, which holds for every such question. */
export interface Project {
  directory: string;
  trusted: boolean;
}

/** A session that the agent itself keeps, whoever made it. */
export interface NativeSession {
  /** The agent's own id, which `OpenOptions.resume` takes. */
  id: string;
  title?: string;
  /** Epoch milliseconds of its last change. */
  updated?: number;
}

/** A server of tools for the agent, by the Model Context Protocol. Arguments, variables, addresses and headers may hold secrets: nothing but name and type is ever told. */
export type McpServer =
  | { name: string; type: "stdio"; command: string; args?: string[]; env?: Record<string, string> }
  | { name: string; type: "http" | "sse"; url: string; headers?: Record<string, string> };

export interface OpenOptions {
  /** Parley's id of the session. */
  session: string;
  directory: string;
  model?: string;
  mode?: string;
  /** The options that were chosen, by their ids. */
  options?: OptionValues;
  /**
   * Whether the user trusts the directory. Where it is not, the agent is started so that nothing of the project runs by itself: no hook, helper, server or
   * plugin that the project's files name, and no permission, mode or variable that they set.
   */
  trusted: boolean;
  /** Servers that a client gave with the session, in addition to the user's own. */
  mcpServers?: readonly McpServer[];
  /**
   * The agent's own id of the session to go on with. An agent that tells the conversation so far once more says `replay.begun` before and
   * `replay.ended` after it, and is ready only then; `replay.prompt` stands for each prompt in it.
   */
  resume?: string;
  /** The log has nothing of the session that is resumed: an agent that can choose tells the conversation so far now, and never otherwise. */
  tellPast?: boolean;
  /** The events of the session before the open turn, for an agent that keeps no memory of its own. */
  history?(): Promise<ParleyEvent[]>;
  /** Whether rules of the session deny something, or have it asked: they bind what the agent would not ask, too. */
  hasRules?(): boolean;
  /** The session's rules, for an agent that can hold some of them itself. */
  rules?(): readonly PermissionRule[];
  /** Takes each signal, with the agent's line that caused it. `child` names the sub-agent it is about. */
  emit(signal: Signal, native?: string, child?: ChildRef): void;
}

/** A sub-agent's own session, in the agent's ids. */
export interface ChildRef {
  id: string;
  /** The id of the sub-agent that started it. Absent: the session's own agent did. */
  parent?: string;
  title?: string;
  agent?: string;
  /** The tool call, of whoever started it, that it works for. */
  call?: string;
}

/** The model, mode and options that a session chooses. */
export interface AgentChoice {
  model?: string;
  mode?: string;
  options?: OptionValues;
}

/**
 * A running agent that serves one session. Calls may be made at any time; none of them throws for a dead agent.
 *
 * One program may serve several sessions. Each of them is still a session of its own here: `close` and `kill` end this session and its work, and the
 * program only with the last session that it serves. A program that does not let go of a session when it is killed is ended, and so are its other sessions then.
 * The end of the program is one `exited` for each session that it served, as the session's last signal. `pause` holds back this session's signals alone: those that
 * are read for others meanwhile go on, and what is kept for this one is bounded, by pausing the program when it is too much.
 */
export interface AgentSession {
  /** Resolves when the agent can take a prompt. Rejects, in bounded time, with `SpawnFailed` or `ResumeLost`. */
  ready(): Promise<void>;
  /** Gives it a prompt. Everything that follows comes as signals. */
  prompt(prompt: Prompt): Promise<void>;
  /**
   * Drops the last turns from its memory, those that were given: oldest first, each as the ids of the prompts in it. A prompt that it never got is
   * passed over; turns that it told in a replay or copied for a fork were given other ids, so it knows these by their order alone. Resolves, in bounded
   * time, when it no longer remembers them. Rejects when it still remembers all of them, or when it has exited.
   */
  rewind?(turns: readonly (readonly string[])[]): Promise<void>;
  /** Has it summarise the conversation so far, as a turn. It goes on from the summary. */
  compact?(): Promise<void>;
  /** Gives a prompt to the running turn; absent where the agent cannot. */
  steer?(prompt: Prompt): Promise<void>;
  /** Asks it to stop the turn. An agent that does so says `turn.finished`. */
  cancel(): Promise<void>;
  answer(ask: string, answer: Answer): Promise<void>;
  /** No rule denies an intent: the agent goes on as it would, or has a person asked first. Absent where it tells none. */
  decide?(ask: string, verdict: "go" | "ask"): Promise<void>;
  /**
   * A model, mode or options from now on: a mode holds for the running turn, too. Options that are not named stay as they are. Rejects when
   * something cannot be put in force, with `MustReopen` when only a new start of the agent can have it.
   */
  set(choice: AgentChoice): Promise<void>;
  /** Asks it to leave, waits, then ends its processes. An `exited` signal has been emitted when it resolves. */
  close(): Promise<void>;
  /** Ends its processes without asking: TERM to all, then KILL after `graceMs`. Resolves when they are gone. */
  kill(graceMs: number): Promise<void>;
  /** Backpressure: while paused, no signal comes from the agent's output. */
  pause(): void;
  resume(): void;
}

/** Abilities that not every agent has. */
export interface AgentCapabilities {
  /**
   * True: its memory of a session is what `history` gives when it is opened, so it can begin with another session's past.
   * Native: it copies its own sessions, by `Agent.fork`. Point: it begins with one of its own sessions up to a point, by `Agent.copyAt`.
   */
  fork?: boolean | "native" | "point";
  /**
   * True: its memory is what `history` gives, so it can go on with a session whose last turns are taken back, and is opened anew then.
   * Native: it drops its last turns itself, by `AgentSession.rewind`. Point: it is opened anew with a copy of its session up to a point, by `Agent.copyAt`.
   */
  rewind?: boolean | "native" | "point";
  /** The kinds of MCP servers that it takes when it is opened. Absent: none, and a session with servers is refused. */
  mcp?: readonly McpServer["type"][];
  /** Those of `mcp` that its program may not take: it has not said so yet, and a discovery asks it. One that is opened with such servers leaves them out, and tells so. */
  mcpUnsure?: readonly McpServer["type"][];
  /** It can shorten a conversation: by `AgentSession.compact`, or by a command of its own such as `/compact`. */
  compact?: true | string;
}

export interface Agent {
  name: string;
  capabilities?: AgentCapabilities;
  /** Only for an agent that never says that its turn is over: a silence of so many milliseconds ends it. */
  quietMs?: number;
  /** It follows a prompt's own instructions (`system`); to others they are said before the prompt's words. */
  takesInstructions?: boolean;
  /** Whether these rules bind it only by the way in which it is started: it is started anew when that changes. Absent: none do. */
  ruledAtStart?(rules: readonly PermissionRule[]): boolean;
  /** Its discovery differs by project. Absent: it answers the same for all, and is asked in general. */
  discoversProjects?: boolean;
  /** With a project: as it is there, since models, modes, options and commands differ by project. Nothing of a project that is not trusted runs by it. */
  discover(project?: Project): Promise<Discovery>;
  /**
   * Starts what its sessions share, because one in this directory is likely to come. Nothing of the directory is loaded by it. `begun` is called when its program
   * starts: until then the machine is left to it.
   */
  ahead?(project: Project, begun?: () => void): Promise<void>;
  /** Copies one of its own sessions as it is now, and answers with the copy's id. Rejects with `ResumeLost`. */
  fork?(project: Project, resume: string): Promise<string>;
  /**
   * The id by which it resumes a copy of one of its own sessions, up to a point that it told with `step.finished` or `turn.finished`; without a point the
   * copy is empty. Nothing is done before that: the copy is made when it is first resumed, and has an id of its own from then on.
   */
  copyAt?(resume: string, point: string | undefined): string;
  /** The sessions that it keeps for a directory, newest first, also those that Parley did not make. */
  sessions?(project: Project): Promise<NativeSession[]>;
  /** Whether it is installed and logged in, by a look at files alone: nothing is run. Absent: it is never chosen by itself. */
  usable?(): Promise<boolean>;
  /** Says how a person gets a model that the agent does not list. */
  advice?(model: string): string;
  /** The settings that it leaves out in a directory that is not trusted, by a look at files alone. Absent: it takes nothing of a project that could run. */
  projectSettings?(directory: string): Promise<ProjectSetting[]>;
  open(options: OpenOptions): AgentSession;
  /** Ends programs that it keeps beside its sessions. Called when no session is open any more, and once. */
  close?(): Promise<void>;
}

/** The agents that sessions may name. A map of them will do. */
export interface Agents {
  /** The agent of a name, also of one that is not listed, or whose program is not installed. */
  get(name: string): Agent | undefined;
  /** The names that are listed. */
  keys(): Iterable<string>;
  /** The agents that are listed. */
  values(): Iterable<Agent>;
  /** Why no session can begin with an agent of that name, and what to do; undefined where one can. Files are looked at, and nothing is run. */
  objection?(name: string): string | undefined;
}

/** A running agent cannot take this model, mode or option; one that is opened with it can. */
export class MustReopen extends Error {
  constructor(what: string) {
    super(`the agent must be started anew for ${what}`);
    this.name = "MustReopen";
  }
}

/** The agent no longer knows the session it was asked to resume. */
export class ResumeLost extends Error {
  constructor(id: string) {
    super(`the agent does not know its session ${id} any more`);
    this.name = "ResumeLost";
  }
}
