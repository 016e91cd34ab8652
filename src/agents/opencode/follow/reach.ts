/** How long a server that Parley did not start may be out of reach while a turn is open. */
const UNREACHABLE_MS = 30_000;

/** Whether a server can be reached: one that is asked, and neither answers nor sends events for long, cannot. */
export class Reach {
  #unheardSince: number | undefined;

  /** Something came from it, or nothing is expected of it. */
  heard(): void {
    this.#unheardSince = undefined;
  }

  /** It is about to be asked. True when it was asked for too long in vain. */
  isLost(now: number): boolean {
    this.#unheardSince ??= now;
    return now - this.#unheardSince > UNREACHABLE_MS;
  }
}
