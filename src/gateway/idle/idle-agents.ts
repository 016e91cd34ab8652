import type { Metrics } from "../../core/metrics.ts";

/** A session whose agent may be let go. */
export interface Idler {
  /** Begins to close the agent, unless it has work again. */
  letGo(): void;
}

/** The idle agents of all sessions. Each is a process that takes memory, so the longest idle ones are closed when there are too many. */
export class IdleAgents {
  private readonly limit: number;
  private readonly closed;
  /** The longest idle one is the first. */
  private readonly idle = new Set<Idler>();

  constructor(limit: number, metrics: Metrics) {
    this.limit = limit;
    metrics.read("gauge", "parley_agents_idle", "Agents that run without work.", () => this.idle.size);
    this.closed = metrics.counter("parley_agents_over_limit_total", "Agents let go because too many were idle.");
  }

  /** The agent has become idle. */
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

  /** The agent works again, or is gone. */
  remove(one: Idler): void {
    this.idle.delete(one);
  }
}
