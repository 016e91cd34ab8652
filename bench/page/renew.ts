import type { Figure } from "../harness/figure.ts";
import { HEAD, rowOf } from "../harness/table.ts";
import { markedIn } from "./marks.ts";

/** One run of the bench. */
export interface Run {
  /** The day on which it began, as 2026-01-31. */
  date: string;
  machine: string;
  cores: number;
  /** Processes that wanted to run, on average over a minute. */
  load: { before: number; after: number };
  /** By the names of the measurements that were made whole. One that left something out is not among them. */
  figures: ReadonlyMap<string, readonly Figure[]>;
}

export interface Renewed {
  document: string;
  /** The measurements whose tables are new. */
  written: string[];
  /** Tables that are as they were although a part of them was measured, each with what is missing. */
  left: { names: readonly string[]; missing: string[] }[];
}

/** From so many waiting processes a core on, the machine had other work to do. */
const BUSY_A_CORE = 0.5;

function about({ date, machine, cores, load }: Run): string {
  const { before, after } = load;
  const line = `Measured on ${date}: ${machine}; load before ${before.toFixed(2)}, after ${after.toFixed(2)}.`;
  if (before <= BUSY_A_CORE * cores) return line;
  return `${line} **The machine was busy with other work before the run began**: times are too high, and ratios not certain.`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function markdown(figures: readonly Figure[]): string[] {
  const rows = figures.map((figure) => {
    const [cells, verdict = ""] = [rowOf(figure).slice(0, -1), rowOf(figure).at(-1)];
    return row([...cells, figure.goal && !figure.goal.met ? `**${verdict}**` : verdict]);
  });
  return [row(HEAD), `|${"---|".repeat(HEAD.length)}`, ...rows];
}

/** A run that lost something measured nothing, however fast it was. */
export function failedIn(figures: Iterable<readonly Figure[]>): string[] {
  return [...figures].flat().flatMap(({ work, faults = [] }) => (faults.length > 0 ? [work] : []));
}

/**
 * Renews the tables whose measurements were all made in one run. All else of the document stays as it is, and everything
 * where the run failed.
 */
export function renew(document: string, run: Run, known: readonly string[]): Renewed {
  const lines = document.split("\n");
  const renewed: Renewed = { document, written: [], left: [] };
  if (failedIn(run.figures.values()).length > 0) return renewed;
  // From the last to the first, so that the lines of those before stay where they are.
  for (const { names, from, to } of markedIn(document, known).reverse()) {
    const missing = names.filter((name) => !run.figures.has(name));
    if (missing.length === names.length) continue;
    if (missing.length > 0) {
      renewed.left.unshift({ names, missing });
      continue;
    }
    const table = markdown(names.flatMap((name) => run.figures.get(name) ?? []));
    lines.splice(from + 1, to - from - 1, about(run), "", ...table);
    renewed.written.unshift(...names);
  }
  return { ...renewed, document: lines.join("\n") };
}
