import type { Question } from "../../../core/events/values.ts";
import type { Answer, IntentSignal, PermissionSignal, QuestionSignal, Signal } from "../../../core/ledger/signals.ts";
import { ToolFailure } from "./tool-failure.ts";

export type Permission = Pick<PermissionSignal, "action" | "command" | "patterns" | "title" | "input" | "metadata">;

export type Verdict = "go" | "ask" | "deny";

/** Asks that wait for a person. An "always" is remembered by the gateway, which then answers by itself. */
export class Asks {
  readonly #emit: (signal: Signal) => void;
  readonly #prefix: string;
  readonly #open = new Map<string, (answer: Answer) => void>();
  readonly #intents = new Map<string, (verdict: Verdict) => void>();
  #count = 0;
  #stop = false;

  constructor(emit: (signal: Signal) => void, prefix: string) {
    this.#emit = emit;
    this.#prefix = prefix;
  }

  answer(ask: string, answer: Answer): void {
    this.#open.get(ask)?.(answer);
    this.#intents.get(ask)?.("deny");
  }

  decide(ask: string, verdict: "go" | "ask"): void {
    this.#intents.get(ask)?.(verdict);
  }

  /** The verdict of the session's rules on something that is not asked about otherwise. */
  verdictOn(call: string, intent: Permission, stop: AbortSignal): Promise<Verdict> {
    return this.#wait(this.#intents, { type: "intent", ask: this.#next(), call, ...intent }, stop);
  }

  /** Whether a rejection asked for the end of the turn. True once for each. */
  takeStop(): boolean {
    const stop = this.#stop;
    this.#stop = false;
    return stop;
  }

  /** Resolves when it is allowed; throws what the model is told when it is not. */
  async permit(call: string, permission: Permission, signal: AbortSignal): Promise<void> {
    const answer = await this.#ask({ type: "permission", ask: this.#next(), call, ...permission }, signal);
    if (answer.kind !== "permission" || answer.outcome === "reject") throw refusal("the user refused this", answer);
  }

  async question(call: string, questions: Question[], signal: AbortSignal): Promise<string[][]> {
    const answer = await this.#ask({ type: "question", ask: this.#next(), call, questions }, signal);
    if (answer.kind === "question" && answer.outcome === "answered") return answer.answers;
    throw refusal("the user did not answer", answer);
  }

  #next(): string {
    return `${this.#prefix}_ask_${++this.#count}`;
  }

  async #ask(signal: PermissionSignal | QuestionSignal, stop: AbortSignal): Promise<Answer> {
    const answer = await this.#wait(this.#open, signal, stop);
    if ("stop" in answer && answer.stop) this.#stop = true;
    return answer;
  }

  /** Emits a signal and waits for its reply, or until the call is stopped: then an ask is withdrawn. */
  async #wait<T>(
    waiting: Map<string, (reply: T) => void>,
    signal: PermissionSignal | QuestionSignal | IntentSignal,
    stop: AbortSignal,
  ): Promise<T> {
    const { ask } = signal;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const leave = (): void => {
      if (signal.type !== "intent") this.#emit({ type: "ask.withdrawn", ask });
      reject(new ToolFailure("aborted", "aborted"));
    };
    stop.throwIfAborted();
    waiting.set(ask, resolve);
    stop.addEventListener("abort", leave);
    this.#emit(signal);
    try {
      return await promise;
    } finally {
      stop.removeEventListener("abort", leave);
      waiting.delete(ask);
    }
  }
}

function refusal(what: string, answer: Answer): ToolFailure {
  const why = "feedback" in answer && answer.feedback ? `, saying: ${answer.feedback}` : "";
  return new ToolFailure("rejected", `${what}${why}`);
}
