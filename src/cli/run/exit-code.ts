import type { Outcome } from "../../client/index.ts";
import { EXIT } from "../exit.ts";

const CODE: Readonly<Record<Outcome["reason"], number>> = {
  end_turn: EXIT.ok,
  error: EXIT.failed,
  refusal: 3,
  max_tokens: 4,
  max_turns: 4,
  interrupted: 5,
  cancelled: 130,
  withdrawn: 130,
};

/** The exit code for the outcome of a turn. A reason that only a newer server knows counts as an error. */
export function exitCodeOf(reason: Outcome["reason"]): number {
  return CODE[reason] ?? EXIT.failed;
}
