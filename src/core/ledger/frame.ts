import type { EventData, EventType } from "../events/catalog.ts";
import type { Draft } from "../events/event.ts";
import type { MakeId } from "../ids.ts";
import type { Effect, LedgerState, LedgerTurn, Refusal } from "./state.ts";

export interface Context {
  now: number;
  /** Milliseconds on a clock that nobody sets, to measure how long something took. */
  steady?: number;
  id: MakeId;
  /** For an agent without any turn-level signal: its turn ends after this long a silence. */
  quietMs?: number;
  /** Set while Parley itself gives the signals, not the agent. */
  speaker?: "parley";
}

/** One step of the ledger: the state so far, with the events and effects to come. The state object itself is never changed. */
export class Frame {
  state: LedgerState;
  readonly context: Context;
  readonly events: Draft[] = [];
  readonly effects: Effect[] = [];
  refusal: Refusal | undefined;

  constructor(state: LedgerState, context: Context) {
    this.state = state;
    this.context = context;
  }

  private get speaker(): "agent" | "parley" {
    return this.context.speaker ?? "agent";
  }

  /** Says something of the open turn, or of the session where none is open. */
  say<T extends EventType>(type: T, data: EventData[T], source: "agent" | "parley" = this.speaker): void {
    const { turn } = this.state;
    if (!turn) return this.sayOfSession(type, data, source);
    this.events.push({ type, time: this.context.now, source, data, turn: turn.id } as Draft);
  }

  /** Says something that belongs to no turn, whether one is open or not. */
  sayOfSession<T extends EventType>(type: T, data: EventData[T], source: "agent" | "parley" = this.speaker): void {
    this.events.push({ type, time: this.context.now, source, data } as Draft);
  }

  want(effect: Effect): void {
    this.effects.push(effect);
  }

  refuse(code: Refusal["code"], message: string): void {
    this.refusal = { code, message };
  }

  patch(change: Partial<LedgerState>): void {
    this.state = { ...this.state, ...change };
  }

  patchTurn(change: Partial<LedgerTurn>): void {
    const { turn } = this.state;
    if (turn) this.state = { ...this.state, turn: { ...turn, ...change } };
  }
}
