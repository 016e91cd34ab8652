import { messageOf } from "../../core/errors.ts";
import { SpawnFailed } from "../../host/contract.ts";
import { runShortened, type Shortened } from "../../host/run-shortened.ts";
import { shellSpec } from "../../host/shell-spec.ts";
import type { ServedSession } from "../session/parts.ts";

type ShellOptions = Pick<ServedSession, "session" | "directory" | "trust" | "host" | "inbox">;

const STOPPED = {
  time: { code: "limit_time", message: "the command was ended: its time was up" },
  output: { code: "limit_output", message: "the command was ended: it wrote too much" },
  aborted: { code: "aborted", message: "the command was ended: the user stopped it" },
} as const;

/** Runs a command of the user as a turn. Its signals are those of an agent that calls its shell. */
export class ShellTurn {
  private readonly options: ShellOptions;
  private running: { turn: string; stop: AbortController; over: Promise<void> } | undefined;

  constructor(options: ShellOptions) {
    this.options = options;
  }

  runs(turn: string): boolean {
    return this.running?.turn === turn;
  }

  /** Runs the command of a stored turn to its end, and always says `turn.finished`. */
  async run(command: string, turn: string): Promise<void> {
    const stop = new AbortController();
    // A key of its own: late output of the command must not be taken for another turn's.
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
    const { session, directory, trust, host, inbox } = this.options;
    inbox.signal({ type: "turn.begun", turn: call });
    inbox.signal({ type: "step.begun" });
    inbox.signal({ type: "tool.running", call, name: "bash", title: command, input: { command } });
    try {
      const spec = shellSpec(command, { session, directory, trusted: trust.covering(directory) !== undefined });
      const output = (delta: string): void => inbox.signal({ type: "tool.output", call, delta });
      this.tell(call, await runShortened({ host, spec, signal, output }));
    } catch (thrown) {
      const code = thrown instanceof SpawnFailed ? "spawn_failed" : "command_failed";
      const error = { code, message: messageOf(thrown) };
      inbox.signal({ type: "tool.done", call, ok: false, error });
      inbox.signal({ type: "turn.finished", turn: call, reason: "error", error });
    }
  }

  private tell(call: string, { text, code, stopped }: Shortened): void {
    const { inbox } = this.options;
    const error = stopped ? { error: STOPPED[stopped] } : {};
    inbox.signal({ type: "tool.done", call, ok: !stopped, output: text, metadata: { exitCode: code }, ...error });
    inbox.signal({ type: "step.finished" });
    inbox.signal({ type: "turn.finished", turn: call, reason: stopped === "aborted" ? "cancelled" : "end_turn" });
  }
}
