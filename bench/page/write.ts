import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { markedIn } from "./marks.ts";
import { type Run, renew } from "./renew.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The documents with tables of the bench. */
const PAGES = ["docs/performance.md", "docs/many-machines.md"];

function read(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

function inPage<T>(page: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw new Error(`${page}, ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

/** Looks whether the tables can be found, before minutes are spent on figures for them. */
export function checkPages(known: readonly string[]): void {
  for (const page of PAGES) inPage(page, () => markedIn(read(page), known));
}

/** Writes the tables of a run, and says what was written and what was not. */
export function writePages(run: Run, known: readonly string[]): string[] {
  const renewed = PAGES.map((page) => ({ page, ...inPage(page, () => renew(read(page), run, known)) }));
  const said: string[] = [];
  for (const { page, document, written, left } of renewed) {
    for (const { names, missing } of left)
      said.push(
        `${page}: the table of ${names.join(", ")} stays as it was, for ${missing.join(", ")} was not measured whole in this run`,
      );
    if (written.length === 0) continue;
    const path = join(ROOT, page);
    writeFileSync(`${path}.new`, document);
    renameSync(`${path}.new`, path);
    said.push(`${page}: the tables of ${written.join(", ")} are new`);
  }
  const tabled = new Set(renewed.flatMap(({ written, left }) => [...written, ...left.flatMap(({ names }) => names)]));
  const without = [...run.figures.keys()].filter((name) => !tabled.has(name));
  if (without.length > 0) said.push(`no page has a table for ${without.join(", ")}`);
  return said;
}
