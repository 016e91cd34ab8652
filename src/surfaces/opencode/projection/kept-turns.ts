import type { SessionEvent } from "../shapes/event.ts";

/** How much of the past a view holds beside its newest turn: for who comes back after it was away. */
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

/** Which turns a view still holds, and what came to an end in them. */
export class KeptTurns {
  readonly #limits: TurnsToKeep;
  #ended: { turn: number; time: number }[] = [];
  #settled: { turn: number; event: Settled }[] = [];
  #newest = 0;

  constructor(limits: TurnsToKeep) {
    this.#limits = limits;
  }

  /** A turn begins. Returns the number of the oldest one that is still held. */
  begin(time: number): number {
    this.#newest += 1;
    const { turns, withinMs } = this.#limits;
    this.#ended = turns === 0 ? [] : this.#ended.filter((one) => one.time >= time - withinMs).slice(-turns);
    const oldest = this.#ended[0]?.turn ?? this.#newest;
    this.#settled = this.#settled.filter(({ turn }) => turn >= oldest);
    return oldest;
  }

  end(time: number): void {
    this.#ended.push({ turn: this.#newest, time });
  }

  hear(event: SessionEvent): void {
    if (isSettled(event)) this.#settled.push({ turn: this.#newest, event });
  }

  settled(): Settled[] {
    return this.#settled.map(({ event }) => event);
  }
}
