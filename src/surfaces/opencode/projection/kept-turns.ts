import type { SessionEvent } from "../shapes/event.ts";

/** The turns that a view holds beside its newest one, for clients that come back. */
export interface TurnsToKeep {
  turns: number;
  /** How long before the newest turn began they may have ended. */
  withinMs: number;
}

const ENDS = [
  "permission.replied",
  "question.replied",
  "question.rejected",
  "message.removed",
  "message.part.removed",
] as const;

/** The end of an ask, or of a message or part that was taken back: what a client that missed it would go on showing. */
export type Settled = Extract<SessionEvent, { type: (typeof ENDS)[number] }>;

function isSettled(event: SessionEvent): event is Settled {
  return (ENDS as readonly string[]).includes(event.type);
}

/** Ends are small, and an ask that a client shows in vain is worse than a message that it lacks: they outlive their turns. */
const SETTLED = 256;

/** The turns that a view still holds, and the newest ends of asks and messages. */
export class KeptTurns {
  readonly #limits: TurnsToKeep;
  #ended: { turn: number; time: number }[] = [];
  #settled: Settled[] = [];
  #newest = 0;

  constructor(limits: TurnsToKeep) {
    this.#limits = limits;
  }

  /** A turn begins. Returns the number of the oldest one that is still held. */
  begin(time: number): number {
    this.#newest += 1;
    const { turns, withinMs } = this.#limits;
    this.#ended = turns === 0 ? [] : this.#ended.filter((one) => one.time >= time - withinMs).slice(-turns);
    return this.#ended[0]?.turn ?? this.#newest;
  }

  end(time: number): void {
    this.#ended.push({ turn: this.#newest, time });
  }

  hear(event: SessionEvent): void {
    if (this.#limits.turns > 0 && isSettled(event)) this.#settled = [...this.#settled, event].slice(-SETTLED);
  }

  settled(): readonly Settled[] {
    return this.#settled;
  }
}
