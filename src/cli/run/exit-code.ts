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

/** The turn was done, but a permission in it was rejected because there was no terminal to ask at. */
const REFUSED_UNASKED = 6;

/** The exit code for the outcome of a turn. A reason that only a newer server knows counts as an error. */
export function exitCodeOf(reason: Outcome["reason"], refusedUnasked = false): number {
  return reason === "end_turn" && refusedUnasked ? REFUSED_UNASKED : (CODE[reason] ?? EXIT.failed);
}
