import { setImmediate as nextTurn } from "node:timers/promises";

const MUCH = 1024 * 1024;

/** After the reading of a long body others get their turn before something is done with it. */
export async function breathe(text: string): Promise<void> {
  if (text.length > MUCH) await nextTurn();
}
