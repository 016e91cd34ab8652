/** How many signals may wait to be stored before the agent is held back, and when it may go on. */
const HOLD_AT = 20_000;
const RELEASE_AT = 2_000;

/** Characters that are stepped and stored before others get their turn, and how many may wait. */
export const AT_ONCE = 1024 * 1024;
const HOLD_WEIGHT = 8 * AT_ONCE;

/** So many times as much may wait while the agent is asked for something: its answer comes behind its other words. */
const WHILE_ASKED = 8;

interface Waiting {
  readonly length: number;
  readonly weight: number;
}

/** Holds the agent back while too much of what it said waits. */
export class Backpressure {
  private readonly agent: { hold(): void; release(): void };
  private held = false;
  private asked = false;

  constructor(agent: { hold(): void; release(): void }) {
    this.agent = agent;
  }

  /** More waits now. */
  grown({ length, weight }: Waiting): void {
    const times = this.asked ? WHILE_ASKED : 1;
    if (length > HOLD_AT * times || weight > HOLD_WEIGHT * times) this.hold();
  }

  /** Less waits now. */
  shrunk({ length, weight }: Waiting): void {
    if (length < RELEASE_AT && weight < AT_ONCE) this.release();
  }

  /** Work that may wait for an answer of the agent, which it could not give while it is held. */
  async whileAsked<T>(work: () => Promise<T>): Promise<T> {
    this.asked = true;
    this.release();
    try {
      return await work();
    } finally {
      this.asked = false;
    }
  }

  hold(): void {
    if (this.held) return;
    this.held = true;
    this.agent.hold();
  }

  private release(): void {
    if (!this.held) return;
    this.held = false;
    this.agent.release();
  }
}
