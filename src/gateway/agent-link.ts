import { type Agent, type AgentSession, type ChildRef, ResumeLost } from "../agents/contract.ts";
import type { ParleyEvent } from "../core/events/event.ts";
import type { Signal } from "../core/ledger/signals.ts";

export interface LinkOptions {
  agent: Agent;
  session: string;
  directory: string;
  history(): Promise<ParleyEvent[]>;
  emit(signal: Signal, native: string | undefined, child: ChildRef | undefined, generation: number): void;
}

export interface Choice {
  model?: string;
  mode?: string;
}

/** The agent behind a session: started when it is first needed, one at a time, started anew after it has gone. */
export class AgentLink {
  private readonly options: LinkOptions;
  private current: {
    agent: AgentSession;
    generation: number;
    ready: Promise<void>;
    isReady: boolean;
    choice: Choice;
  } | null = null;
  private generation = 0;
  private leaving: Promise<void> | null = null;

  constructor(options: LinkOptions) {
    this.options = options;
  }

  get running(): boolean {
    return this.current !== null;
  }

  /** Whether this start of the agent is the one that runs. */
  runs(generation: number): boolean {
    return this.current?.generation === generation;
  }

  /** The agent, once it can take prompts. */
  get readySession(): AgentSession | undefined {
    return this.current?.isReady ? this.current.agent : undefined;
  }

  get session(): AgentSession | undefined {
    return this.current?.agent;
  }

  /** A running agent with this model and mode. `lost` says that it has forgotten the session it was to resume. */
  async ensure(
    choice: Choice,
    resume: string | undefined,
  ): Promise<{ agent: AgentSession; generation: number; lost: boolean }> {
    await this.leaving;
    const running = this.current;
    if (running) {
      await running.ready;
      if (!this.runs(running.generation)) return this.ensure(choice, resume);
      if (choice.model !== running.choice.model || choice.mode !== running.choice.mode) {
        await running.agent.set(choice);
        running.choice = choice;
      }
      return { agent: running.agent, generation: running.generation, lost: false };
    }
    try {
      return { ...(await this.open(choice, resume)), lost: false };
    } catch (error) {
      if (!(error instanceof ResumeLost)) throw error;
      return { ...(await this.open(choice, undefined)), lost: true };
    }
  }

  private async open(choice: Choice, resume: string | undefined): Promise<{ agent: AgentSession; generation: number }> {
    const { session, directory, emit, history } = this.options;
    const generation = ++this.generation;
    let discarded = false;
    const agent = this.options.agent.open({
      session,
      directory,
      ...choice,
      ...(resume === undefined ? {} : { resume }),
      history,
      emit: (signal, native, child) => {
        if (signal.type === "exited" && this.current?.generation === generation) this.current = null;
        if (!discarded) emit(signal, native, child, generation);
      },
    });
    const opened = { agent, generation, ready: agent.ready(), isReady: false, choice };
    this.current = opened;
    try {
      await opened.ready;
      opened.isReady = true;
      return { agent, generation };
    } catch (error) {
      // An agent that never became ready has served no turn: its failure is told by the error, not by its exit.
      discarded = true;
      if (this.current === opened) this.current = null;
      await agent.kill(0);
      throw error;
    }
  }

  /** Asks the agent to stop its turn; one that is not ready yet has nothing to lose and is ended. */
  async cancel(): Promise<void> {
    const { current } = this;
    if (!current) return;
    if (current.isReady) await current.agent.cancel();
    else await current.agent.kill(0);
  }

  async kill(graceMs: number): Promise<void> {
    await this.current?.agent.kill(graceMs);
  }

  /** Lets the agent go. A prompt that comes meanwhile gets a new one. */
  async close(): Promise<void> {
    this.leaving ??= this.leave();
    await this.leaving;
  }

  private async leave(): Promise<void> {
    try {
      await this.current?.agent.close();
    } finally {
      this.leaving = null;
    }
  }
}
