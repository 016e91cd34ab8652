import type { Answer } from "../core/ledger/signals.ts";
import type { Unattended } from "./options.ts";

export type Verdict = { answer: Answer; by: "policy" } | { waitMs: number } | "leave";

/** The decision about an ask when it comes, or when the last client leaves: leave it open, answer it, or wait. */
export function verdict(
  kind: "permission" | "question",
  watched: boolean,
  policy: Unattended,
  deadlineMs: number,
): Verdict {
  if (watched) return "leave";
  if (policy === "deny") return { answer: refusal(kind, "nobody is attached to answer"), by: "policy" };
  if (policy === "allow" && kind === "permission") return { answer: { kind, outcome: "once" }, by: "policy" };
  return { waitMs: deadlineMs };
}

export function refusal(kind: "permission" | "question", feedback: string): Answer {
  return kind === "permission" ? { kind, outcome: "reject", feedback } : { kind, outcome: "rejected", feedback };
}
