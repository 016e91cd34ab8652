import type { Figure } from "../harness/figure.ts";
import { rowOf } from "../harness/table.ts";

function misses(figure: Figure): boolean {
  return figure.goal !== undefined && (!figure.goal.met || (figure.faults ?? []).length > 0);
}

/** A line for each figure that misses its goal, to be read at the end of a long output. */
export function missLines(figures: readonly Figure[], load: number): string[] {
  return figures.filter(misses).map((figure) => {
    const [work, , result, ratio, goal, verdict] = rowOf(figure);
    return `${work} ${result}, ${ratio} of ${figure.anchor.name}, goal ${goal}: ${verdict} (load ${load.toFixed(1)})`;
  });
}

/** How many goals are met. */
export function metLine(figures: readonly Figure[], load: number): string {
  const goals = figures.filter(({ goal }) => goal);
  return `${goals.length - goals.filter(misses).length} of ${goals.length} goals met (load ${load.toFixed(1)})`;
}
