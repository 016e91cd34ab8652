import type { PermissionRule } from "../events/values.ts";
import { onPermission } from "./asks.ts";
import type { Frame } from "./frame.ts";
import type { IntentSignal } from "./signals.ts";
import { decide } from "./verdicts.ts";

/** Where no rule fits, an agent does as it would. */
const AS_IT_WOULD: PermissionRule = { action: "*", pattern: "*", verdict: "allow" };

/**
 * Something the agent would not ask about. A rule that denies it is logged as the answer to a permission; one that has it
 * asked is the agent's to obey, which then asks as it does otherwise. Nothing is said of what no rule is about.
 */
export function onIntent(frame: Frame, signal: IntentSignal): void {
  const { facts, turn, rules: granted, directory } = frame.state;
  const { ask, patterns = [] } = signal;
  const permissions = [AS_IT_WOULD, ...(facts.permissions ?? [])];
  const verdict = decide({ permissions, granted, directory }, { ...signal, patterns });
  if (verdict === "deny") return onPermission(frame, { ...signal, type: "permission" });
  if (turn?.cancelled) {
    const feedback = "the turn was stopped";
    return frame.want({ type: "answer", ask, answer: { kind: "permission", outcome: "reject", feedback } });
  }
  frame.want({ type: "decide", ask, verdict: verdict === "ask" ? "ask" : "go" });
}
