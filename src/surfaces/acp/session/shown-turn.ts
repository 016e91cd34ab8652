import type { SessionState } from "../../../core/session-state.ts";

type State = Pick<SessionState, "turn" | "lastEnd">;

/**
 * The turn that runs as the client knows it. While nothing can be stored, a turn that was stopped is over for the client, and a prompt that was taken back gets
 * none. What is stored of them when there is room is not told any more.
 */
export class ShownTurn {
  /** Over for the client, and open in the log. */
  #stopped: string | undefined;
  /** Stopped before their beginning was read. */
  readonly #awaited = new Set<string>();
  /** Prompts that were taken back while nothing could be stored. Their turn may be on its way to the log. */
  readonly #takenBack = new Set<string>();

  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** The open turn, unless it is over for the client. */
  open({ turn }: State): SessionState["turn"] {
    return turn?.id === this.#stopped ? null : turn;
  }

  hides(turn: string | undefined): boolean {
    return turn !== undefined && turn === this.#stopped;
  }

  /** A turn was stopped. Returns whether its end is to be told now: a turn whose beginning was not read yet ends right after that. */
  stop(id: string, { turn, lastEnd }: State): boolean {
    if (id === this.#stopped || id === lastEnd?.turn) return false;
    if (turn?.id === id) {
      this.#stopped = id;
      return true;
    }
    this.#awaited.add(id);
    return false;
  }

  takeBack(prompt: string): void {
    this.#takenBack.add(prompt);
  }

  /** A turn begins. The client knows nothing of one whose prompt was taken back. */
  begin(turn: string | undefined, prompt: string | undefined): void {
    if (prompt !== undefined && this.#takenBack.delete(prompt)) this.#stopped = turn;
  }

  /** Goes on with a state whose events were not read. */
  skip({ turn }: Pick<State, "turn">): void {
    if (turn?.id !== this.#stopped) this.#stopped = undefined;
    this.begin(turn?.id, turn?.prompt);
  }

  /** Follows the state after an event. Returns the turn whose end is to be told now. */
  follow({ turn }: State): string | undefined {
    if (turn?.id !== this.#stopped) this.#stopped = undefined;
    if (turn === null || !this.#awaited.delete(turn.id)) return undefined;
    this.#stopped = turn.id;
    return turn.id;
  }
}
