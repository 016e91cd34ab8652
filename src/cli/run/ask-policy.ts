import type { AskAnswer } from "../../client/index.ts";

export type AskMode = "terminal" | "yes" | "deny" | "none";

export interface AutoAnswer {
  answer: AskAnswer;
  /** What the person is told on stderr. */
  note: string;
}

/** Who answers: what was said by flag, else the person at the terminal, else nobody. */
export function askMode(flags: { yes?: boolean; deny?: boolean }, terminal: boolean): AskMode {
  if (flags.yes) return "yes";
  if (flags.deny) return "deny";
  return terminal ? "terminal" : "none";
}

const WHY = { deny: "--deny was given", none: "there is no terminal to ask at" } as const;

/**
 * What is answered without a person; undefined where a person is asked. A question is never answered for one, and of a
 * permission only what it `offers` can be given.
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
