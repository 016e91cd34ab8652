import { ParleyError } from "../../src/core/errors.ts";
import type { Log } from "../../src/log/contract.ts";
import { wrapHolds } from "./wrap-holds.ts";

/** The fault of an append: its `answer` is lost after it was stored, its `request` before it is. */
export type Fault = "none" | "answer" | "request";

/** A log behind a wire that loses requests and answers; `wrap` is for the rig. */
export class FaultyLog {
  /** Decides over the next append. */
  next: () => Fault = () => "none";
  /** How many were lost so far. */
  readonly lost = { answer: 0, request: 0 };
  /** Each append that was tried, as its session, the number it follows on and how many events it has. */
  readonly tries: string[] = [];

  readonly wrap = (log: Log): Log =>
    wrapHolds(log, ({ session, append }) => ({
      append: async (after, entries) => {
        const fault = this.next();
        this.tries.push(`${session} ${after}+${entries.length}`);
        const stored = fault === "request" ? [] : await append(after, entries);
        if (fault === "none") return stored;
        this.lost[fault] += 1;
        throw new ParleyError("outcome_unknown", `the ${fault} was lost`);
      },
    }));
}
