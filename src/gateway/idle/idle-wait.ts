import type { IdleAgents, Idler } from "./idle-agents.ts";

export interface IdleWaitOptions {
  /** Those of all sessions. */
  agents: IdleAgents;
  waitMs: number;
  letGo(): void;
}

/** The time for which a session's agent is kept without work. */
export class IdleWait implements Idler {
  private readonly options: IdleWaitOptions;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: IdleWaitOptions) {
    this.options = options;
  }

  /** `counts`: it may be let go earlier, when too many agents are idle. */
  start({ counts }: { counts: boolean }): void {
    const { agents, waitMs } = this.options;
    this.timer = setTimeout(() => this.letGo(), waitMs).unref();
    if (counts) agents.add(this);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.options.agents.remove(this);
  }

  letGo(): void {
    this.options.letGo();
  }
}
