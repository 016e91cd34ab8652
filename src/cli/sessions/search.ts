import type { SearchHit, SearchOptions } from "../../client/index.ts";
import { readQuery } from "../../core/search/query.ts";
import type { FoundKind } from "../../core/search/text.ts";
import { findSession, withStore } from "../access/open-store.ts";
import type { Store } from "../access/store.ts";
import { configure, directoryOf } from "../context.ts";
import { usageError } from "../exit.ts";
import type { CommonFlags } from "../options.ts";
import { safeText } from "../output/safe-text.ts";
import { age } from "../output/table.ts";
import { type Paint, painter } from "../output/terminal.ts";

export interface SearchFlags extends CommonFlags {
  dir?: string;
  agent?: string;
  session?: string;
  kind?: FoundKind;
  limit: number;
}

/** Hits of one page, at most what a server gives. */
const PAGE = 100;

interface Found {
  hits: SearchHit[];
  indexing?: { done: number; of: number };
}

/** The newest hits, from as many pages as it takes. */
async function collect(store: Store, words: string, query: SearchOptions, limit: number): Promise<Found> {
  const found: Found = { hits: [] };
  for (let after: string | undefined; found.hits.length < limit; ) {
    const rest = Math.min(PAGE, limit - found.hits.length);
    const page = await store.search(words, { ...query, ...(after !== undefined && { after }), limit: rest });
    found.hits.push(...page.hits);
    if (page.indexing) found.indexing = page.indexing;
    if (page.next === null) break;
    after = page.next;
  }
  return found;
}

/** Without colours a hit stands between marks. */
function line({ snippet }: SearchHit, paint: Paint, coloured: boolean): string {
  const pieces = snippet.map(({ text, hit }) => {
    const shown = safeText(text).replace(/\s+/g, " ");
    if (!hit) return shown;
    return coloured ? paint("yellow", shown) : `[${shown}]`;
  });
  return pieces.join("").trim();
}

function block(hit: SearchHit, now: number, paint: Paint, coloured: boolean): string {
  const { session, seq, kind, role, title, time, agent } = hit;
  const name = safeText(title ?? "untitled").replace(/\s+/g, " ");
  const head = `${paint("bold", name)}  ${age(time, now)}  ${safeText(agent)}  ${role ?? kind.replace("_", " ")}`;
  const open = paint("dim", `parley events ${session} --after ${seq - 1}`);
  return `${head}\n  ${line(hit, paint, coloured)}\n  ${open}\n`;
}

export async function searchSessions(words: string, flags: SearchFlags): Promise<string> {
  if (readQuery(words).all.length === 0)
    throw usageError(`expected a word to look for, got "${safeText(words).slice(0, 100)}"`);
  const { settings } = await configure({ dataDir: flags.dataDir });
  const { agent, kind } = flags;
  const found = await withStore(settings, async (store) => {
    const query: SearchOptions = {
      ...(flags.dir !== undefined && { directory: directoryOf(flags.dir) }),
      ...(agent !== undefined && { agent }),
      ...(kind !== undefined && { kind }),
      ...(flags.session !== undefined && { session: await findSession(store, flags.session) }),
    };
    return collect(store, words, query, flags.limit);
  });
  if (found.indexing) {
    const { done, of } = found.indexing;
    process.stderr.write(`the index is being made (${done} of ${of} events): older hits may be missing\n`);
  }
  if (flags.json) return found.hits.map((hit) => `${JSON.stringify(hit)}\n`).join("");
  if (found.hits.length === 0) {
    process.stderr.write("nothing was found: fewer words, or without filters, find more\n");
    return "";
  }
  const coloured = painter(process.stdout)("bold", "x") !== "x";
  const paint = painter(process.stdout);
  return found.hits.map((hit) => block(hit, Date.now(), paint, coloured)).join("\n");
}
