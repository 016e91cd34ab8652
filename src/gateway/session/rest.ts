import { beginsTurn } from "../../core/session-state.ts";
import type { IdleAgents, Idler } from "../idle/idle-agents.ts";
import { type Closed, closeSession } from "./close-session.ts";

interface RestOptions extends Closed {
  /** Those of all sessions. */
  idleAgents: IdleAgents;
  /** How long an agent is kept without work. */
  waitMs: number;
}

/** Lets the agent of a session go when it has had no work for a while. */
export class Rest implements Idler {
  private readonly options: RestOptions;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: RestOptions) {
    this.options = options;
  }

  /** No turn is open or about to begin, here or for a sub-agent. */
  get idle(): boolean {
    const { turn, queue } = this.options.ledger.state;
    return !turn && !queue.some(beginsTurn) && !this.options.kin.busy();
  }

  /** Looks whether the agent has work left. */
  check(): void {
    this.stop();
    const { ledger, agent, kin, idleAgents, waitMs } = this.options;
    if (!this.idle || ledger.state.closing) return;
    if (!agent.occupied) return kin.rest();
    // The end of an agent that leaves calls again.
    if (!agent.running) return;
    // One that still starts is waited for: it becomes idle when it is ready, which wakes the inbox.
    if (agent.own && agent.own.readySession === undefined) return;
    this.timer = setTimeout(() => this.letGo(), waitMs).unref();
    // Work in the background ends with the process: it is not ended for the sake of memory.
    if (ledger.state.background.size === 0) idleAgents.add(this);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.options.idleAgents.remove(this);
  }

  /** Lets the agent go, unless there is work for it again. */
  letGo(): void {
    if (!this.idle || this.options.inbox.busy) return;
    this.options.logger.quietly(this.close(), "an idle agent could not be closed");
  }

  private async close(): Promise<void> {
    this.stop();
    await this.orRest(closeSession("closed", this.options));
  }

  /** A command that is refused before it gets into the inbox leaves the agent as idle as it was. */
  async orRest<T>(command: Promise<T>): Promise<T> {
    try {
      return await command;
    } catch (error) {
      if (!this.options.inbox.busy) this.check();
      throw error;
    }
  }
}
