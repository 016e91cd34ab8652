import type { Metrics } from "../../core/metrics.ts";

/** A session whose agent may be let go. */
export interface Idler {
  /** Lets the agent go, unless it has work again; that is not waited for. */
  letGo(): void;
}

/** Agents without work, of all sessions: each is a process that holds memory, so that only some of them are kept. */
export class IdleAgents {
  private readonly limit: number;
  private readonly closed;
  /** The one that is idle longest is the first. */
  private readonly idle = new Set<Idler>();

  constructor(limit: number, metrics: Metrics) {
    this.limit = limit;
    metrics.read("gauge", "parley_agents_idle", "Agents that run without work.", () => this.idle.size);
    this.closed = metrics.counter("parley_agents_over_limit_total", "Agents let go because too many were idle.");
  }

  /** It has done its work. */
  add(one: Idler): void {
    this.idle.delete(one);
    this.idle.add(one);
    for (const longest of this.idle) {
      if (this.idle.size <= this.limit) return;
      this.idle.delete(longest);
      this.closed.inc();
      longest.letGo();
    }
  }

  /** It works again, or is gone. */
  remove(one: Idler): void {
    this.idle.delete(one);
  }
}
