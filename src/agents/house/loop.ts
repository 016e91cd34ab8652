import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { EndReason, Failure } from "../../core/events/values.ts";
import { FULL, judge, waitBefore } from "./retry.ts";
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
): Promise<Exclude<StepEnd, { how: "failed" }> | { how: "lost"; error: Failure }> {
  let step = turn.keys.item();
  for (let attempt = 1; ; attempt++) {
    turn.emit({ type: "step.begun", step });
    const end = await runStep(turn);
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

async function steps(turn: Turn): Promise<End> {
  turn.asks.takeStop();
  for (let step = 0; step < turn.maxSteps; step++) {
    turn.messages.push(...(await turn.steered()));
    const end = await stepWithRetries(turn);
    if (end.how === "stopped") return { reason: "cancelled" };
    if (end.how === "lost") return { reason: "error", error: end.error };
    if (end.full && end.calls === 0) return { reason: "error", error: FULL };
    if (turn.asks.takeStop()) return { reason: "end_turn" };
    if (end.calls === 0 && !turn.hasSteered()) return { reason: REASONS[end.finish] ?? "end_turn" };
  }
  return { reason: "max_turns" };
}

/** A turn: steps until the model calls no tool. It ends once, whatever happens in it. */
export async function runTurn(turn: Turn): Promise<void> {
  let end: End = { reason: "error", error: { code: "agent_failed", message: "the loop ended without a word" } };
  try {
    end = await steps(turn);
  } catch (error) {
    end = { reason: "error", error: { code: "agent_failed", message: messageOf(error) } };
  } finally {
    turn.emit({ type: "turn.finished", ...end });
  }
}
