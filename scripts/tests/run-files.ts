import { relative } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";

export interface Skip {
  file: string;
  name: string;
  reason: string;
}

export interface FileTime {
  file: string;
  ms: number;
}

export interface TestTime extends FileTime {
  name: string;
}

/** The outcome of a run of test files. */
export interface Ran {
  failed: boolean;
  skips: Skip[];
  files: FileTime[];
  tests: TestTime[];
}

/** Runs test files, each in a process of its own, and shows them as they end. */
export async function runFiles(files: readonly string[], sideBySide: number, stop: AbortSignal): Promise<Ran> {
  const ran: Ran = { failed: false, skips: [], files: [], tests: [] };
  const short = (file: string | undefined): string => relative(process.cwd(), file ?? "");
  const events = run({ files: [...files], concurrency: sideBySide, signal: stop })
    .on("test:fail", () => {
      ran.failed = true;
    })
    .on("test:pass", ({ file, name, skip, details }) => {
      if (typeof skip === "string") ran.skips.push({ file: short(file), name, reason: skip });
      else if (details.type !== "suite") ran.tests.push({ file: short(file), name, ms: details.duration_ms });
    })
    .on("test:summary", ({ file, duration_ms: ms, success }) => {
      if (file !== undefined) ran.files.push({ file: short(file), ms });
      if (!success) ran.failed = true;
    });
  const shown = events.compose(spec);
  shown.pipe(process.stdout);
  await finished(shown);
  return stop.aborted ? { ...ran, failed: true } : ran;
}
