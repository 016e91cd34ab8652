import type { Question } from "../../../core/events/values.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import type { CommandHost } from "../../../host/contract.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { Outcome } from "./deferreds.ts";
import type { DoomLoop } from "./doom-loop.ts";
import type { FileLocks } from "./file-locks.ts";
import type { Asks, Permission } from "./permissions.ts";
import type { ModelCall } from "./stream.ts";
import { ToolFailure } from "./tool-failure.ts";

export interface RunnerOptions {
  session: string;
  directory: string;
  trusted: boolean;
  host: CommandHost;
  locks: FileLocks;
  asks: Asks;
  doom: DoomLoop;
  tools: readonly Tool[];
  planning(): boolean;
  /** Whether the session has rules that may object to what is not asked about. */
  hasRules(): boolean;
  emit(signal: Signal): void;
}

/** Runs the tools of a turn, each call in the same way. */
export class ToolRunner {
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async run(called: ModelCall, signal: AbortSignal): Promise<Outcome> {
    const { emit, doom } = this.#options;
    const { call, name, input } = called;
    const tool = this.#find(name);
    const title = tool?.title(input);
    emit({ type: "tool.seen", call, name, input, ...(title === undefined ? {} : { title }) });
    // Counted before the input is checked: models repeat calls that cannot work.
    if (doom.strikes(name, input)) await this.#assertMeant(called, signal);
    const usable = this.#assertUsable(called, tool);
    const context = this.#context(called, signal);
    if (!usable.writes) {
      await this.#assertRules(called, usable, context);
      emit({ type: "tool.running", call });
    }
    return { ok: true, ...(await usable.run(input, context)) };
  }

  /** A tool that does not ask is held against the session's rules all the same. */
  async #assertRules({ call, input }: ModelCall, tool: Tool, { signal, permit }: ToolContext): Promise<void> {
    if (!this.#options.hasRules()) return;
    const intent = await tool.intent(input, this.#options.directory);
    const verdict = await this.#options.asks.verdictOn(call, intent, signal);
    if (verdict === "deny") throw new ToolFailure("rejected", "a rule of this session denies it");
    if (verdict === "ask") await permit(intent);
  }

  #find(name: string): Tool | undefined {
    return this.#options.tools.find((tool) => tool.name === name);
  }

  #assertUsable({ name, problem }: ModelCall, tool: Tool | undefined): Tool {
    if (!tool) {
      const known = this.#options.tools.map((one) => one.name).join(", ");
      throw new ToolFailure("unknown_tool", `there is no tool ${name}; there are: ${known}`);
    }
    if (tool.writes && this.#options.planning())
      throw new ToolFailure("plan_mode", `${name} is not allowed in plan mode: say what you would do instead`);
    if (problem !== undefined) throw new ToolFailure("bad_input", problem);
    return tool;
  }

  async #assertMeant({ call, name, input }: ModelCall, signal: AbortSignal): Promise<void> {
    const title = `${name} was called three times in a row with the same input; go on?`;
    await this.#options.asks.permit(call, { action: "doom_loop", patterns: [name], title, input }, signal);
  }

  #context({ call }: ModelCall, signal: AbortSignal): ToolContext {
    const { session, directory, trusted, host, locks, asks, hasRules, emit } = this.#options;
    return {
      session,
      directory,
      trusted,
      host,
      locks,
      signal,
      output: (delta) => emit({ type: "tool.output", call, delta }),
      async permit(permission: Permission) {
        await asks.permit(call, permission, signal);
        emit({ type: "tool.running", call });
      },
      verdictOn: async (intent: Permission) => (hasRules() ? asks.verdictOn(call, intent, signal) : "go"),
      question: (questions: Question[]) => asks.question(call, questions, signal),
      plan: (entries) => emit({ type: "plan", entries }),
    };
  }
}
