import type { LedgerView } from "./ledger-view.ts";

interface Wait {
  resolve(): void;
  reject(error: unknown): void;
}

/** Promises of turns' ends. */
export class TurnWaits {
  private readonly ledger: LedgerView;
  private readonly waiting = new Map<string, Wait[]>();
  private closed: { error: unknown } | undefined;

  constructor(ledger: LedgerView) {
    this.ledger = ledger;
  }

  /** Resolves when a turn is over, at once when it is already. Rejects when its end will never be stored from here. */
  ended(turn: string): Promise<void> {
    if (this.ledger.state.turn?.id !== turn) return Promise.resolve();
    if (this.closed) return Promise.reject(this.closed.error);
    return new Promise((resolve, reject) => {
      const waits = this.waiting.get(turn);
      if (waits) waits.push({ resolve, reject });
      else this.waiting.set(turn, [{ resolve, reject }]);
    });
  }

  over(turn: string): void {
    const waits = this.waiting.get(turn) ?? [];
    this.waiting.delete(turn);
    for (const { resolve } of waits) resolve();
  }

  close(error: unknown): void {
    this.closed = { error };
    for (const { reject } of [...this.waiting.values()].flat()) reject(error);
    this.waiting.clear();
  }
}
