import type { Figure } from "../harness/figure.ts";
import { rowOf } from "../harness/table.ts";

/** A line for each figure that misses its goal, and one for how many there are: to be read at the end of a long output. */
export function missLines(figures: readonly Figure[], load: number): string[] {
  const goals = figures.filter(({ goal }) => goal);
  const missed = goals.filter((figure) => !figure.goal?.met || figure.faults?.length);
  const lines = missed.map((figure) => {
    const [work, , result, ratio, goal, verdict] = rowOf(figure);
    return `${work} ${result}, ${ratio} of ${figure.anchor.name}, goal ${goal}: ${verdict} (load ${load.toFixed(1)})`;
  });
  return [...lines, `${goals.length - missed.length} of ${goals.length} goals met (load ${load.toFixed(1)})`];
}
