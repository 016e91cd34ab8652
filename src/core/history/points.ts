import type { ParleyEvent } from "../events/event.ts";

/** The last point of its memory that an agent told. `untold`: it took part in turns, and told none. */
export interface LastPoint {
  point?: string;
  untold: boolean;
}

export function lastPoint(events: readonly Pick<ParleyEvent, "type" | "data" | "turn">[]): LastPoint {
  const shells = new Set<string | undefined>();
  let last: LastPoint = { untold: false };
  for (const event of events as readonly ParleyEvent[]) {
    if (event.type === "turn.started" && event.data.prompt?.task?.type === "shell") shells.add(event.turn);
    if (event.type !== "step.ended" && event.type !== "turn.ended") continue;
    const { point } = event.data;
    if (point !== undefined) last = { point, untold: false };
    else if (last.point === undefined && event.type === "step.ended" && !shells.has(event.turn))
      last = { untold: true };
  }
  return last;
}
