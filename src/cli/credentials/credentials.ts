import type { Shell } from "../../credentials/export.ts";
import { judge } from "../../credentials/judge.ts";
import { homeOf } from "../../credentials/places.ts";
import { configure } from "../context.ts";
import { usageError } from "../exit.ts";
import { print } from "../output/print.ts";
import { tell } from "../tell.ts";
import { exportText } from "./export-text.ts";
import { findWith } from "./find-with.ts";
import { adviceLines, jsonOf, problemLine, tableOf } from "./render.ts";

export interface CredentialsFlags {
  json?: boolean;
  export?: string | true;
  toPipe?: boolean;
  format?: Shell;
}

function checkFlags({ export: wanted, toPipe, format }: CredentialsFlags): void {
  if (wanted !== undefined) return;
  if (toPipe) throw usageError("--to-pipe belongs to --export: without it nothing secret is written");
  if (format !== undefined) throw usageError("--format belongs to --export");
}

/** Secrets go to stdout by `--export` only; warnings and advice go to stderr, below the table at a terminal. */
export async function credentials(flags: CredentialsFlags): Promise<void> {
  checkFlags(flags);
  const { settings } = await configure({});
  const { credentials: found, problems } = findWith(settings);
  const now = Date.now();
  if (flags.export !== undefined) {
    const provider = flags.export === true ? undefined : flags.export;
    await print(exportText(found, { provider, now, shell: flags.format ?? "sh", toPipe: flags.toPipe === true }));
    return;
  }
  const judged = judge(found, now);
  if (flags.json) return print(`${JSON.stringify(jsonOf(judged, problems, now))}\n`);
  if (judged.length > 0) await print(tableOf(judged, now, homeOf(process.env)));
  for (const problem of problems) tell(`warning: ${problemLine(problem)}`);
  for (const line of adviceLines(judged)) tell(line);
}
