import type { Effect } from "../../core/ledger/state.ts";

type Timer = Extract<Effect, { type: "timer" }>;

/** The waits that the ledger asked for: one of each name at a time. */
export class TurnTimers {
  private readonly running = new Map<string, NodeJS.Timeout>();
  private readonly fire: (timer: Pick<Timer, "name" | "turn">) => void;

  constructor(fire: (timer: Pick<Timer, "name" | "turn">) => void) {
    this.fire = fire;
  }

  arm({ name, turn, ms }: Timer): void {
    clearTimeout(this.running.get(name));
    this.running.set(
      name,
      setTimeout(() => this.fire({ name, turn }), ms),
    );
  }

  clear(): void {
    for (const timer of this.running.values()) clearTimeout(timer);
  }
}
