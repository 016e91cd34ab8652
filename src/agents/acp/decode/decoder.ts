import type { EndReason, Failure } from "../../../core/events/values.ts";
import { type Fields, present, textIn } from "../../../core/json/fields.ts";
import type { Signal } from "../../../core/ledger/signals.ts";
import { AUTH_REQUIRED, REQUEST_CANCELLED, type Response, type RpcError } from "../rpc.ts";
import { onCompaction, onInfo, onNotice, onPlan, onSummary } from "./facts.ts";
import { type DecodeState, newDecodeState, type Say } from "./state.ts";
import { closeTexts, onChunk, onUserChunk, sayAsked, sayOutside } from "./texts.ts";
import { isPast, onTerminal, onToolCall, sayRefused } from "./tools.ts";
import { addTokens, onUsage, turnUsage } from "./usage.ts";

type Handler = (state: DecodeState, update: Fields, say: Say) => void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  agent_message_chunk: (state, update, say) => onChunk(state, update, "message", say),
  agent_thought_chunk: (state, update, say) => onChunk(state, update, "reasoning", say),
  user_message_chunk: onUserChunk,
  tool_call: onToolCall,
  tool_call_update: onToolCall,
  plan: onPlan,
  usage_update: onUsage,
  session_info_update: onInfo,
  notice: onNotice,
  compaction_update: onCompaction,
  compaction_summary_chunk: onSummary,
};

const REASONS: ReadonlyMap<unknown, EndReason> = new Map([
  ["max_tokens", "max_tokens"],
  ["max_turn_requests", "max_turns"],
  ["refusal", "refusal"],
  ["cancelled", "cancelled"],
]);

/** How a turn ended, and why the program may have ended it so. */
export interface End {
  /** Parley asked it to stop. */
  stopped: boolean;
  /** Something was refused in the turn: some agents end it by that, and call it cancelled. */
  refused: boolean;
}

/** The words of an error with what its data adds. */
export function errorWords({ message, data }: RpcError): string {
  const more = [textIn(data, "details"), textIn(data, "message"), textIn(data, "error")].find(
    (words) => words && !message.includes(words),
  );
  return more ? `${message}: ${more}` : message;
}

function failureOf(error: RpcError): Failure {
  const code = error.code === AUTH_REQUIRED ? "auth_required" : "agent_failed";
  return { code, message: errorWords(error) };
}

/** Makes signals of what the program says about its session. It does no I/O. */
export class Decoder {
  readonly #state: DecodeState;

  constructor(facts: Parameters<typeof newDecodeState>[0]) {
    this.#state = newDecodeState(facts);
  }

  /** An update of the session. Kinds that are not known mean nothing. */
  update(update: Fields): Signal[] {
    const kind = textIn(update, "sessionUpdate") ?? "";
    const handler = Object.hasOwn(HANDLERS, kind) ? HANDLERS[kind] : undefined;
    return this.#said((say) => {
      if (handler && kind !== "agent_message_chunk" && kind !== "agent_thought_chunk") sayOutside(this.#state, say);
      handler?.(this.#state, update, say);
    });
  }

  /** A prompt is about to be given to the program. */
  begin(): Signal[] {
    const state = this.#state;
    return this.#said((say) => {
      sayOutside(state, say);
      state.place = "turn";
      state.turn += 1;
      state.step = [];
      state.summaries.clear();
      if (state.cost !== undefined) state.costBefore = state.cost;
    });
  }

  /** The program has answered the turn's prompt. */
  end({ result, error }: Response, { stopped, refused }: End): Signal[] {
    const state = this.#state;
    return this.#said((say) => {
      closeTexts(state, say);
      sayRefused(state, say);
      state.place = "outside";
      const usage = turnUsage(state, result);
      delete state.spent;
      if (state.cost !== undefined) state.costBefore = state.cost;
      if (error && !(stopped || error.code === REQUEST_CANCELLED))
        return say({ type: "turn.finished", reason: "error", error: failureOf(error), ...present({ usage }) });
      const told = error ? "cancelled" : (REASONS.get(result.stopReason) ?? "end_turn");
      const reason = told === "cancelled" && refused && !stopped ? "end_turn" : told;
      say({ type: "turn.finished", reason, ...present({ usage }) });
    });
  }

  /** The program has answered a prompt, and the turn goes on with another one. */
  goOn({ result }: Response): Signal[] {
    const state = this.#state;
    return this.#said((say) => {
      closeTexts(state, say);
      state.spent = addTokens(state, result);
    });
  }

  /** Output of a terminal that Parley runs for the program. */
  terminal(id: string, delta: string): Signal[] {
    return this.#said((say) => onTerminal(this.#state, id, delta, say));
  }

  /** A new session has cost nothing so far. */
  isNew(): void {
    this.#state.costBefore = 0;
  }

  /** The program is about to tell the conversation so far; `take`: somebody wants to hear it. */
  beginPast(take: boolean): Signal[] {
    this.#state.place = take ? "past" : "left_out";
    return take ? [{ type: "replay.begun" }] : [];
  }

  endPast(): Signal[] {
    const state = this.#state;
    return this.#said((say) => {
      sayAsked(state, say);
      closeTexts(state, say);
      if (state.place === "past") say({ type: "replay.ended" });
      state.place = "outside";
      state.calls.clear();
      if (state.cost !== undefined) state.costBefore = state.cost;
    });
  }

  /** Words that came outside of a turn and were not told yet. */
  flush(): Signal[] {
    return this.#said((say) => sayOutside(this.#state, say));
  }

  /** The program tells the conversation so far, or may. */
  get isPast(): boolean {
    return this.#state.place === "past" || this.#state.place === "left_out";
  }

  get hasOutside(): boolean {
    return this.#state.outside !== "";
  }

  /** A call as it was told so far. */
  call(id: string | undefined): { key: string; told: Fields } | undefined {
    return id === undefined ? undefined : this.#state.calls.get(id);
  }

  /** Whether a call of this turn goes on. */
  isOpen(id: string | undefined): boolean {
    const call = id === undefined ? undefined : this.#state.calls.get(id);
    return call !== undefined && !isPast(this.#state, call);
  }

  /** A person or a rule refused a call. */
  refuse(id: string | undefined): void {
    const call = id === undefined ? undefined : this.#state.calls.get(id);
    if (call) call.refused = true;
  }

  #said(read: (say: Say) => void): Signal[] {
    const said: Signal[] = [];
    read((signal) => said.push(signal));
    return said;
  }
}
