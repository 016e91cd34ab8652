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

function stays(page: string, names: readonly string[], missing: readonly string[]): string {
  return `${page}: the table of ${names.join(", ")} stays as it is without ${missing.join(", ")}`;
}

/** Looks for the tables before minutes are spent on figures for them. Says which ones these measurements do not renew. */
export function checkPages(known: readonly string[], chosen: readonly string[]): string[] {
  return PAGES.flatMap((page) =>
    inPage(page, () => markedIn(read(page), known)).flatMap(({ names }) => {
      const missing = names.filter((name) => !chosen.includes(name));
      return missing.length > 0 && missing.length < names.length ? [stays(page, names, missing)] : [];
    }),
  );
}

/** Writes the tables of a run, and says what was written and what was not. */
export function writePages(run: Run, known: readonly string[]): string[] {
  const renewed = PAGES.map((page) => ({ page, ...inPage(page, () => renew(read(page), run, known)) }));
  const said: string[] = [];
  for (const { page, document, written, left } of renewed) {
    for (const { names, missing } of left) said.push(stays(page, names, missing));
    if (written.length === 0) continue;
    const path = join(ROOT, page);
    writeFileSync(`${path}.new`, document);
    renameSync(`${path}.new`, path);
    said.push(`${page}: the table of ${written.join(", ")} is new`);
  }
  return said.length > 0 ? said : ["no table was written: nothing of it was measured whole"];
}
