import { relative } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { endFile } from "./end-file.ts";
import { type Limits, RunningFiles } from "./overdue.ts";

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

const LOOK_EVERY_MS = 5_000;

/** Ends files that have passed a limit: one that never ends would keep the whole run from ending, and from saying which it is. */
function endOverdue(running: RunningFiles, limits: Limits, short: (file: string) => string, ended: () => void): void {
  for (const { file, reason } of running.overdue(limits, performance.now())) {
    ended();
    running.end(file);
    console.error(`\nparley: ${short(file)} is ended: ${reason}. It had these processes:`);
    for (const line of endFile(file)) console.error(`parley:   ${line}`);
  }
}

/** Runs test files, each in a process of its own, and shows them as they end. */
export async function runFiles(
  files: readonly string[],
  sideBySide: number,
  limits: Limits,
  stop: AbortSignal,
): Promise<Ran> {
  const ran: Ran = { failed: false, skips: [], files: [], tests: [] };
  const short = (file: string | undefined): string => relative(process.cwd(), file ?? "");
  const running = new RunningFiles();
  const looking = setInterval(() => {
    endOverdue(running, limits, short, () => {
      ran.failed = true;
    });
  }, LOOK_EVERY_MS);
  const events = run({ files: [...files], concurrency: sideBySide, signal: stop })
    // A file is told of as a test of its own name.
    .on("test:dequeue", ({ name, file = "" }) => {
      if (name === file) running.begin(file, performance.now());
    })
    .on("test:enqueue", ({ name, file = "" }) => {
      if (name !== file) running.testBegins(file, performance.now());
    })
    .on("test:complete", ({ name, file = "" }) => {
      if (name === file) running.end(file);
      else running.testEnds(file, performance.now());
    })
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
  clearInterval(looking);
  return stop.aborted ? { ...ran, failed: true } : ran;
}
