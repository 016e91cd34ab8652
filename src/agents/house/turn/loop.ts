import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../core/errors.ts";
import type { EndReason, Failure } from "../../../core/events/values.ts";
import { FULL, judge, waitBefore } from "../model/retry.ts";
import { type Compacted, compact, isNearlyFull } from "./compaction.ts";
import { runStep, type StepEnd } from "./step.ts";
import type { Turn } from "./turn.ts";

interface End {
  reason: EndReason;
  error?: Failure;
}

const REASONS: Readonly<Record<string, EndReason>> = { length: "max_tokens", "content-filter": "refusal" };

/** Asks the model again after a failure that may pass, saying so; a failure that will not pass ends it. */
async function stepWithRetries(
  turn: Turn,
  summary = false,
): Promise<Exclude<StepEnd, { how: "failed" }> | { how: "lost"; error: Failure }> {
  let step = turn.keys.item();
  for (let attempt = 1; ; attempt++) {
    turn.emit({ type: "step.begun", step, ...(summary ? { summary } : {}) });
    const end = await runStep(turn, summary);
    if (end.how !== "failed") return end;
    if (end.committed) step = turn.keys.item();
    const { retryable, failure, afterMs } = judge(end.error, Date.now(), turn.retry.patienceMs);
    if (!retryable || attempt >= turn.retry.attempts) return { how: "lost", error: failure };
    const wait = waitBefore(attempt, afterMs, turn.retry);
    turn.emit({ type: "status", status: "retrying", attempt, message: failure.message, next: Date.now() + wait });
    await delay(wait, undefined, { signal: turn.stop }).catch(() => {});
    if (turn.stopped) return { how: "stopped" };
  }
}

function endOf(compacted: Exclude<Compacted, { how: "done" }>): End {
  return compacted.how === "stopped" ? { reason: "cancelled" } : { reason: "error", error: compacted.error };
}

/** A step, after the conversation was shortened where it does not fit any more: once in a turn. */
class Steps {
  readonly #turn: Turn;
  #compacted = false;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  async next(): Promise<Exclude<StepEnd, { how: "failed" }> | { how: "lost"; error: Failure }> {
    const turn = this.#turn;
    if (isNearlyFull(turn.model, turn.context.used)) {
      const compacted = await this.#compact();
      // A context that is nearly full may still do; one that cannot be summarised is tried as it is.
      if (compacted?.how === "stopped") return compacted;
    }
    const end = await stepWithRetries(turn);
    const full =
      (end.how === "lost" && end.error.code === FULL.code) || (end.how === "done" && end.full && end.calls === 0);
    if (!full) return end;
    const compacted = await this.#compact();
    if (compacted?.how === "stopped") return compacted;
    return compacted?.how === "done" ? stepWithRetries(turn) : end;
  }

  async #compact(): Promise<Compacted | undefined> {
    if (this.#compacted) return undefined;
    this.#compacted = true;
    return compact(this.#turn, stepWithRetries);
  }
}

async function steps(turn: Turn): Promise<End> {
  turn.asks.takeStop();
  const all = new Steps(turn);
  for (let step = 0; step < turn.maxSteps; step++) {
    const steered = await turn.steered();
    turn.asked.push(...steered);
    turn.messages.push(...steered);
    const end = await all.next();
    if (end.how === "stopped") return { reason: "cancelled" };
    if (end.how === "lost") return { reason: "error", error: end.error };
    if (end.full && end.calls === 0) return { reason: "error", error: FULL };
    if (turn.asks.takeStop()) return { reason: "end_turn" };
    if (end.calls === 0 && !turn.hasSteered()) return { reason: REASONS[end.finish] ?? "end_turn" };
  }
  return { reason: "max_turns" };
}

async function onlyCompact(turn: Turn): Promise<End> {
  if (turn.messages.length === 0) return { reason: "end_turn" };
  const compacted = await compact(turn, stepWithRetries);
  return compacted.how === "done" ? { reason: "end_turn" } : endOf(compacted);
}

async function run(turn: Turn, work: (turn: Turn) => Promise<End>): Promise<void> {
  let end: End = { reason: "error", error: { code: "agent_failed", message: "the loop ended without a word" } };
  try {
    end = await work(turn);
  } catch (error) {
    end = { reason: "error", error: { code: "agent_failed", message: messageOf(error) } };
  } finally {
    turn.emit({ type: "turn.finished", ...end });
  }
}

/** A turn: steps until the model calls no tool. It ends once, whatever happens in it. */
export function runTurn(turn: Turn): Promise<void> {
  return run(turn, steps);
}

/** A turn in which the conversation is shortened, and nothing else. */
export function runCompaction(turn: Turn): Promise<void> {
  return run(turn, onlyCompact);
}
