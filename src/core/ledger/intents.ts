import type { PermissionRule } from "../events/values.ts";
import { onPermission, TURN_STOPPED } from "./asks.ts";
import type { Frame } from "./frame.ts";
import type { IntentSignal } from "./signals.ts";
import { decide } from "./verdicts.ts";

/** The first rule: without another that fits, the agent goes on without asking. */
const AS_IT_WOULD: PermissionRule = { action: "*", pattern: "*", verdict: "allow" };

/**
 * The agent is about to do something without asking. A rule that denies it is logged as the answer to a permission; a rule
 * with the verdict `ask` makes the agent ask as usual. No event is said where no rule objects.
 */
export function onIntent(frame: Frame, signal: IntentSignal): void {
  const { facts, turn, rules: granted, directory } = frame.state;
  const { ask, patterns = [] } = signal;
  const permissions = [AS_IT_WOULD, ...(facts.permissions ?? [])];
  const verdict = decide({ permissions, granted, directory }, { ...signal, patterns });
  if (verdict === "deny") return onPermission(frame, { ...signal, type: "permission" });
  if (turn?.cancelled) {
    const answer = { kind: "permission", outcome: "reject", feedback: TURN_STOPPED } as const;
    return frame.want({ type: "answer", ask, answer });
  }
  frame.want({ type: "decide", ask, verdict: verdict === "ask" ? "ask" : "go" });
}
