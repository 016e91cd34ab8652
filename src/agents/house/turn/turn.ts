import type { LanguageModel, ModelMessage } from "ai";
import type { Price } from "../../contract.ts";
import type { Effort } from "../model/efforts.ts";
import type { ModelRequest } from "../model/model-call.ts";
import type { RetryPolicy } from "../model/retry.ts";
import type { Keys } from "./keys.ts";
import type { RunnerOptions } from "./tool-runner.ts";

export interface TurnOptions extends RunnerOptions {
  sdk: typeof import("../model/libraries/sdk.ts");
  language: LanguageModel;
  /** How hard the model is to think; absent: as it does by itself. */
  effort?: Effort | undefined;
  model: { price?: Price; context?: number; output?: number };
  instructions: string;
  /** The conversation; the turn adds to it. */
  messages: ModelMessage[];
  /** The user's messages of this turn. */
  asked: ModelMessage[];
  /** How full the model's context was when it was last asked. */
  context: { used?: number };
  keys: Keys;
  retry: RetryPolicy;
  stallMs: number;
  maxSteps: number;
  /** Words for the running turn that came since it was last asked. */
  steered(): Promise<ModelMessage[]>;
  hasSteered(): boolean;
  /** Resolves when signals may be emitted. */
  free(): Promise<void>;
  stop: AbortSignal;
}

/** The state that the steps of a turn share. */
export interface Turn extends TurnOptions {
  readonly stopped: boolean;
  request(): ModelRequest;
  /** Resolves with the work, or when the turn is stopped. */
  orStopped(work: Promise<unknown>): Promise<void>;
}

export function makeTurn(options: TurnOptions): Turn {
  const { stop, tools, planning } = options;
  return {
    ...options,
    get stopped() {
      return stop.aborted;
    },
    request() {
      const { language, effort, model, instructions, messages, stallMs } = options;
      const offered = planning() ? tools.filter((tool) => !tool.writes) : tools;
      const limit = model.output === undefined ? {} : { maxOutputTokens: model.output };
      return { model: language, effort, instructions, messages, tools: offered, ...limit, signal: stop, stallMs };
    },
    async orStopped(work) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const leave = (): void => resolve();
      stop.addEventListener("abort", leave);
      if (stop.aborted) resolve();
      await Promise.race([work, promise]);
      stop.removeEventListener("abort", leave);
    },
  };
}
