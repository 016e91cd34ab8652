import { withStore } from "../access/open-store.ts";
import { everySession, type ListedSession } from "../access/store.ts";
import { configure, directoryOf } from "../context.ts";
import type { CommonFlags } from "../options.ts";
import { safeLine } from "../output/safe-text.ts";
import { age, type Column, table } from "../output/table.ts";

export interface ListFlags extends CommonFlags {
  dir?: string;
  all?: boolean;
}

const NEWEST = 20;
/** The table cuts what a terminal has no room for. */
const LONGEST = 1_000;
const COLUMNS: Column[] = [
  "ID",
  "STATUS",
  "AGENT",
  "AGE",
  { name: "DIRECTORY", cut: "start" },
  { name: "TITLE", cut: "end" },
];

function rowOf(session: ListedSession, now: number): string[] {
  const { id, status, agent, directory, title = "", updated } = session;
  return [id, status, safeLine(agent), age(updated, now), safeLine(directory, LONGEST), safeLine(title, LONGEST)];
}

export async function listSessions(flags: ListFlags): Promise<string> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  const directory = flags.dir === undefined ? undefined : directoryOf(flags.dir);
  const sessions = await withStore(settings, (store) =>
    flags.all ? everySession(store, { directory }) : store.list({ directory, limit: NEWEST }),
  );
  if (flags.json) return `${JSON.stringify(sessions)}\n`;
  if (sessions.length === 0) {
    process.stderr.write(`no sessions${directory ? ` in ${directory}` : ""} yet: parley run "…" makes one\n`);
    return "";
  }
  const now = Date.now();
  const rows = sessions.map((session) => rowOf(session, now));
  return table(COLUMNS, rows);
}
