import type { ParleyEvent } from "../core/events/event.ts";
import type { Prompt } from "../core/events/values.ts";
import type { Answer, Signal } from "../core/ledger/signals.ts";

export interface AgentModel {
  id: string;
  name?: string;
  context?: number;
  output?: number;
}

export interface AgentMode {
  id: string;
  name?: string;
  description?: string;
}

/** A command of the agent's own, which a prompt calls by a slash and its name. */
export interface AgentCommand {
  name: string;
  description?: string;
  /** What may be written after it. */
  hint?: string;
}

/** What can be known of an agent without starting a session. */
export interface Discovery {
  installed: boolean;
  version?: string;
  /** Where the program was found, or what to do when it was not. */
  detail?: string;
  /** Whether a turn can be expected to work; `unknown` where only a real call would tell. */
  credentials: "found" | "missing" | "not_needed" | "unknown";
  models: AgentModel[];
  modes: AgentMode[];
  commands?: AgentCommand[];
}

export interface OpenOptions {
  /** Parley's id of the session. */
  session: string;
  directory: string;
  model?: string;
  mode?: string;
  /** The agent's own id of the session to go on with. */
  resume?: string;
  /** What was said in this session before the turn that is open now, for an agent that keeps no memory of its own. */
  history?(): Promise<ParleyEvent[]>;
  /** Takes each signal, with the agent's line that caused it. `child` names the sub-agent it is about. */
  emit(signal: Signal, native?: string, child?: ChildRef): void;
}

/** A sub-agent's own session, in the agent's ids. */
export interface ChildRef {
  id: string;
  title?: string;
  agent?: string;
}

/** A running agent that serves one session. Calls may be made at any time; none of them throws for a dead agent. */
export interface AgentSession {
  /** Resolves when the agent can take a prompt. Rejects, in bounded time, with `SpawnFailed` or `ResumeLost`. */
  ready(): Promise<void>;
  /** Gives it a prompt. Everything that follows comes as signals. */
  prompt(prompt: Prompt): Promise<void>;
  /** Gives a prompt to the running turn; absent where the agent cannot. */
  steer?(prompt: Prompt): Promise<void>;
  /** Asks it to stop the turn. It does so by signals, or not at all. */
  cancel(): Promise<void>;
  answer(ask: string, answer: Answer): Promise<void>;
  /** A model or mode for the next prompt. */
  set(choice: { model?: string; mode?: string }): Promise<void>;
  /** Asks it to leave, waits, then ends its processes. An `exited` signal has been emitted when it resolves. */
  close(): Promise<void>;
  /** Ends its processes without asking: TERM to all, then KILL after `graceMs`. Resolves when they are gone. */
  kill(graceMs: number): Promise<void>;
  /** Backpressure: while paused, no signal comes from the agent's output. */
  pause(): void;
  resume(): void;
}

export interface Agent {
  name: string;
  /** Only for an agent that never says when its turn is over: so long a silence, in milliseconds, then does. */
  quietMs?: number;
  discover(): Promise<Discovery>;
  /** Whether it is installed and logged in, by a look at files alone: nothing is run. Absent: it is never chosen by itself. */
  usable?(): Promise<boolean>;
  open(options: OpenOptions): AgentSession;
}

/** The agent no longer knows the session it was asked to resume. */
export class ResumeLost extends Error {
  constructor(id: string) {
    super(`the agent does not know its session ${id} any more`);
    this.name = "ResumeLost";
  }
}
