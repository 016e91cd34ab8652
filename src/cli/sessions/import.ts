import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { ParleyApiError, type SessionDetail } from "../../client/index.ts";
import { isParleyError, messageOf } from "../../core/errors.ts";
import { clientOf } from "../access/online-store.ts";
import { useServer } from "../access/use-server.ts";
import { configure, directoryOf } from "../context.ts";
import { CliError, usageError } from "../exit.ts";
import type { CommonFlags } from "../options.ts";

export interface ImportFlags extends CommonFlags {
  dir?: string;
}

async function contentOf(file: string): Promise<string> {
  try {
    return file === "-" ? await text(process.stdin) : readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** A refusal names the file that it is about. */
function problemOf(file: string, error: unknown): unknown {
  const name = file === "-" ? "stdin" : file;
  if (error instanceof ParleyApiError && error.code === "too_large") {
    return new CliError(`${name}: it is too large for the running server: stop that, and import again without one`);
  }
  const invalid = (error instanceof ParleyApiError || isParleyError(error)) && error.code === "invalid";
  return invalid ? usageError(`${name}: ${error instanceof ParleyApiError ? error.detail : error.message}`) : error;
}

/** The id that the session of an export has in its first line. */
function exportedId(jsonl: string): string {
  return /"session":"(ses_[\w-]+)"/.exec(jsonl.slice(0, 1_000))?.[1] ?? "";
}

/** Stores a session that was exported, and prints its id. Nothing runs. */
export async function importSession(file: string, flags: ImportFlags): Promise<string> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  const directory = flags.dir === undefined ? undefined : directoryOf(flags.dir);
  const jsonl = await contentOf(file);
  const start = async () => (await import("../access/own-server.ts")).startOwnServer(settings, process.cwd());
  const { id, last, agent } = await useServer(settings, start, async (server, own) => {
    const client = clientOf(server);
    try {
      if (!own) return await client.sessions.import(jsonl, directory);
      // Without a request, whose size is limited.
      const made = await own.parley.gateway.importSession({ jsonl, ...(directory === undefined ? {} : { directory }) });
      const detail: SessionDetail = await client.sessions.get(made);
      await own.close();
      return detail;
    } catch (error) {
      throw problemOf(file, error);
    }
  });
  if (flags.json) return `${JSON.stringify({ session: id, from: exportedId(jsonl), events: last })}\n`;
  const from = exportedId(jsonl);
  const name = from === id ? "" : `; ${from} is taken, so it has a new id`;
  process.stderr.write(`imported ${last} events of ${agent}${name}\n`);
  return `${id}\n`;
}
