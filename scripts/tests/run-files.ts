import { relative, resolve } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { endFile, endOrphans } from "./end-file.ts";
import { RunningFiles } from "./overdue.ts";
import { CPU_VARIABLE } from "./tell-cpu.ts";

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

/** How long a test file may take, and how long it may then take to end. */
export interface Limits {
  fileMs: number;
  patienceMs: number;
}

const CPU_TELLER = fileURLToPath(new URL("./tell-cpu.ts", import.meta.url));

const LOOK_EVERY_MS = 1_000;

/** Ends files that have passed the limit: one that never ends would keep the whole run from ending, and from naming it. */
function endOverdue(running: RunningFiles, { fileMs, patienceMs }: Limits, short: (file: string) => string): boolean {
  const late = running.overdue(fileMs, patienceMs, performance.now());
  for (const { file, measure } of late) {
    console.error(`\nparley: ${short(file)} has not ended within ${Math.round(fileMs / 1000)} s: ${measure}`);
    // Nothing else is left that could make it end.
    if (measure === "give up") process.exit(1);
    const ended = measure === "end its processes" ? endFile(file) : endOrphans();
    for (const line of ended) console.error(`parley:   ended ${line}`);
  }
  return late.length > 0;
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
    if (endOverdue(running, limits, short)) ran.failed = true;
  }, LOOK_EVERY_MS);
  // A file is told of as a test of its own name, if that is the whole path.
  const events = run({
    files: files.map((file) => resolve(file)),
    concurrency: sideBySide,
    signal: stop,
    execArgv: process.env[CPU_VARIABLE] === undefined ? [] : ["--import", CPU_TELLER],
  })
    .on("test:dequeue", ({ name, file }) => {
      if (name === file) running.begin(file, performance.now());
    })
    .on("test:complete", ({ name, file }) => {
      if (name === file) running.end(file);
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
