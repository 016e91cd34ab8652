import { fieldsIn, isFields } from "../../src/core/json/fields.ts";
import { stateOf } from "./sessions.ts";

const NONE: readonly string[] = [];

/** The turns of a session that were taken back and come again if somebody wants it, until the next prompt. */
export function revertedTurns(session: string): readonly string[] {
  const revert = stateOf(session)?.value.meta?.revert;
  if (!isFields(revert)) return NONE;
  const { turns } = fieldsIn(revert, "cut");
  return Array.isArray(turns) ? turns.filter((turn) => typeof turn === "string") : NONE;
}
