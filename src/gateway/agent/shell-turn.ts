import { messageOf } from "../../core/errors.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { type CommandHost, SpawnFailed } from "../../host/contract.ts";
import { runShortened, type Shortened } from "../../host/run-shortened.ts";
import { shellSpec } from "../../host/shell-spec.ts";

export interface ShellOptions {
  session: string;
  directory: string;
  host: CommandHost;
  emit(signal: Signal): void;
}

const STOPPED = {
  time: { code: "limit_time", message: "the command was ended: its time was up" },
  output: { code: "limit_output", message: "the command was ended: it wrote too much" },
  aborted: { code: "aborted", message: "the command was ended: the user stopped it" },
} as const;

/** A turn that Parley runs by itself: a command of the user's, told in the words of an agent that called its shell. */
export class ShellTurn {
  private readonly options: ShellOptions;
  private running: { turn: string; stop: AbortController; over: Promise<void> } | undefined;

  constructor(options: ShellOptions) {
    this.options = options;
  }

  runs(turn: string): boolean {
    return this.running?.turn === turn;
  }

  /** Runs the command of a stored turn to its end. Whatever happens, the turn is told to be over. */
  async run(command: string, turn: string): Promise<void> {
    const stop = new AbortController();
    // A name of its own: what it says when nobody waits for it any more must not be taken for another turn's words.
    const over = this.play(command, `shell_${turn}`, stop.signal);
    this.running = { turn, stop, over };
    await over;
    if (this.running.turn === turn) this.running = undefined;
  }

  /** Ends the command, and resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.running?.stop.abort();
    await this.running?.over;
  }

  private async play(command: string, call: string, signal: AbortSignal): Promise<void> {
    const { session, directory, host, emit } = this.options;
    emit({ type: "turn.begun", turn: call });
    emit({ type: "step.begun" });
    emit({ type: "tool.running", call, name: "bash", title: command, input: { command } });
    try {
      const spec = shellSpec(command, { session, directory });
      const output = (delta: string): void => emit({ type: "tool.output", call, delta });
      this.tell(call, await runShortened({ host, spec, signal, output }));
    } catch (thrown) {
      const code = thrown instanceof SpawnFailed ? "spawn_failed" : "command_failed";
      const error = { code, message: messageOf(thrown) };
      emit({ type: "tool.done", call, ok: false, error });
      emit({ type: "turn.finished", turn: call, reason: "error", error });
    }
  }

  private tell(call: string, { text, code, stopped }: Shortened): void {
    const { emit } = this.options;
    const error = stopped ? { error: STOPPED[stopped] } : {};
    emit({ type: "tool.done", call, ok: !stopped, output: text, metadata: { exitCode: code }, ...error });
    emit({ type: "step.finished" });
    emit({ type: "turn.finished", turn: call, reason: stopped === "aborted" ? "cancelled" : "end_turn" });
  }
}
