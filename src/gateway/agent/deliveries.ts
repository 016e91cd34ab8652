import type { Signal } from "../../core/ledger/signals.ts";
import type { LedgerState } from "../../core/ledger/state.ts";
import { PARLEY } from "../session/inbox.ts";

/** Knows the turn whose prompt was delivered last, and to which start of the agent: by that, which signals count. */
export class Deliveries {
  private turn = "";
  private generation = 0;

  given(turn: string, generation: number): void {
    this.turn = turn;
    this.generation = generation;
  }

  /** Whether a signal counts. The exit of a start that never got the open turn's prompt does not: another one is being started. */
  concerns(signal: Signal, generation: number, state: LedgerState): boolean {
    if (signal.type !== "exited" || state.turn?.by !== "user" || generation === PARLEY) return true;
    return this.turn === state.turn.id && this.generation === generation;
  }

  /** The model, the mode and the options of a prompt are put in force before the agent has it: words of the agent about them until then are past. */
  heard(signal: Signal, generation: number, { turn, facts }: LedgerState): Signal {
    if (signal.type !== "session" || generation === PARLEY || turn?.by !== "user" || turn.id === this.turn)
      return signal;
    const { model, mode, options, ...rest } = signal;
    const unchosen = Object.entries(options ?? {}).filter(([id]) => facts.options?.[id] === undefined);
    return {
      ...rest,
      ...(unchosen.length === 0 ? {} : { options: Object.fromEntries(unchosen) }),
      ...(model === undefined || facts.model !== undefined ? {} : { model }),
      ...(mode === undefined || facts.mode !== undefined ? {} : { mode }),
    };
  }

  /** In a turn that Parley runs by itself the agent has no say: its words are heard after the turn. */
  waits({ turn }: LedgerState): boolean {
    return turn?.task?.type === "shell";
  }
}
