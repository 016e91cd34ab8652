/** Promises of turns' ends. */
export class TurnWaits {
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Resolves when the turn is over. */
  wait(turn: string): Promise<void> {
    return new Promise((resolve) => {
      const resolves = this.waiting.get(turn);
      if (resolves) resolves.push(resolve);
      else this.waiting.set(turn, [resolve]);
    });
  }

  over(turn: string): void {
    const resolves = this.waiting.get(turn) ?? [];
    this.waiting.delete(turn);
    for (const resolve of resolves) resolve();
  }
}
