import type { EventData } from "../events/catalog.ts";
import type { Frame } from "./frame.ts";
import { updateFacts } from "./session.ts";

/** The entry `revert` of a session whose last turns were taken back, until the next prompt cuts them for good. */
export interface Revert {
  messageID: string;
  partID?: string;
  /** The changes of files that were undone. */
  diff?: string;
  /** The turns were taken back without their changes of files. */
  filesKept?: boolean;
  cut: EventData["history.cut"];
  /** The turns that the agent must drop itself, as the ids of their prompts. Absent: its memory is the log. */
  toRewind?: string[][];
  /** The agent's id of a copy of its session without these turns, for an agent that goes on from such a copy. */
  nativeId?: string;
}

export function revertOf(meta: Readonly<Record<string, unknown>> | undefined): Revert | undefined {
  const { revert } = meta ?? {};
  const known = typeof revert === "object" && revert !== null && "messageID" in revert && "cut" in revert;
  return known ? (revert as Revert) : undefined;
}

/** Cuts the turns that were taken back, if there are such: the next prompt goes on from before them. */
export function commitRevert(frame: Frame): void {
  const revert = revertOf(frame.state.facts.meta);
  if (!revert) return;
  frame.sayOfSession("history.cut", revert.cut, "parley");
  frame.patch({ untold: frame.state.untold.filter(({ turn }) => !revert.cut.turns.includes(turn)) });
  const owed = frame.state.facts.toRewind ?? [];
  const rewound = revert.toRewind && { toRewind: [...revert.toRewind, ...owed] };
  const copy = revert.nativeId === undefined ? {} : { nativeId: revert.nativeId };
  updateFacts(frame, { meta: { revert: null }, ...rewound, ...copy }, "parley");
}
