import type { AskAnswer } from "../../client/index.ts";

export type AskMode = "terminal" | "yes" | "deny" | "none";

export interface AutoAnswer {
  answer: AskAnswer;
  /** The line for the person on stderr. */
  note: string;
}

/** Asks are answered by a flag, else by the person at the terminal, else by nobody. */
export function askMode(flags: { yes?: boolean; deny?: boolean }, terminal: boolean): AskMode {
  if (flags.yes) return "yes";
  if (flags.deny) return "deny";
  return terminal ? "terminal" : "none";
}

const WHY = { deny: "--deny was given", none: "there is no terminal to ask at" } as const;

/**
 * The answer without a person; undefined where a person is asked. A question is always rejected, and a permission gets
 * only an answer that it `offers`.
 */
export function autoAnswer(
  kind: "permission" | "question",
  mode: AskMode,
  offers: readonly string[] = [],
): AutoAnswer | undefined {
  if (mode === "terminal") return undefined;
  const yes = kind === "permission" && mode === "yes";
  if (yes && (offers.length === 0 || offers.includes("once")))
    return { answer: "once", note: "allowed once, by --yes" };
  if (yes && offers.includes("always"))
    return { answer: "always", note: "allowed for the session, by --yes: once was not offered" };
  const why = mode === "yes" ? (yes ? "it cannot be allowed" : "--yes answers no questions") : WHY[mode];
  const advice = kind === "permission" && mode === "none" ? "; --yes would allow it" : "";
  const outcome = kind === "permission" ? "reject" : "rejected";
  return { answer: { outcome, feedback: why }, note: `rejected: ${why}${advice}` };
}
