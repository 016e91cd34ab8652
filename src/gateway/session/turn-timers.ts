import type { Effect } from "../../core/ledger/state.ts";
import type { Inbox } from "./inbox.ts";
import type { SessionLogger } from "./session-logger.ts";

type Timer = Extract<Effect, { type: "timer" }>;

/** The waits that the ledger asked for: one of each name at a time. */
export class TurnTimers {
  private readonly running = new Map<string, NodeJS.Timeout>();
  private readonly inbox: Inbox;
  private readonly logger: SessionLogger;

  constructor(inbox: Inbox, logger: SessionLogger) {
    this.inbox = inbox;
    this.logger = logger;
  }

  arm({ name, turn, ms }: Timer): void {
    clearTimeout(this.running.get(name));
    const fire = (): void =>
      this.logger.quietly(this.inbox.send({ type: "timer", name, turn }, { must: true }), "a timer failed");
    this.running.set(name, setTimeout(fire, ms));
  }

  clear(): void {
    for (const timer of this.running.values()) clearTimeout(timer);
  }
}
