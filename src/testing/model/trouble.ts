import type { Frame } from "./frames.ts";
import type { Place, Step, Trouble } from "./script.ts";

/** The trouble of this attempt at a step (from 0), or none when it is to be answered. */
export function troubleOf(step: Step, attempt: number): Trouble | undefined {
  if (step.fail === undefined) return undefined;
  const several = "length" in step.fail;
  const troubles: readonly Trouble[] = [step.fail].flat();
  let before = attempt;
  for (const trouble of troubles) {
    const times = trouble.times ?? (several ? 1 : Number.POSITIVE_INFINITY);
    if (before < times) return trouble;
    before -= times;
  }
  return undefined;
}

/** The frames that still come when a reply stops at a place: half of the last part of that kind. */
export function until(frames: readonly Frame[], place: Place): Frame[] {
  if (place === "start") return [];
  if (place === "open") return frames.filter((frame) => frame.at === "open");
  if (place === "end") return frames.filter((frame) => frame.at !== "end");
  const last = frames.findLast((frame) => frame.at === place);
  const within = frames.flatMap((frame, index) => (frame.at === place && frame.part === last?.part ? [index] : []));
  const stop = within[Math.floor(within.length / 2)];
  return stop === undefined ? until(frames, "end") : frames.slice(0, stop);
}
