import { messageOf } from "../../core/errors.ts";
import type { PromptPart } from "../../core/events/values.ts";
import type { CommandHost } from "../../host/contract.ts";
import { openInside } from "../../host/files/open-inside.ts";
import { runShortened } from "../../host/run-shortened.ts";
import { shellSpec } from "../../host/shell-spec.ts";
import { shellsIn, withShells } from "./template.ts";

export interface Place {
  session: string;
  directory: string;
  processes: CommandHost;
  /** Whether the user trusts the directory. */
  trusted: boolean;
}

const REFERENCE = /(?<![\w`@])@([^\s`'",;()]+)/g;
const SHELL_MS = 30_000;
const MAX_FILES = 50;

const NOTES = { time: "its time was up", output: "it wrote too much", aborted: "it was stopped" } as const;

async function outputOf(command: string, { session, directory, trusted, processes }: Place): Promise<string> {
  try {
    const spec = shellSpec(command, { session, directory, trusted });
    const { text, stopped } = await runShortened({ host: processes, spec, limitMs: SHELL_MS });
    return stopped ? `${text}\n(the command was ended: ${NOTES[stopped]})` : text;
  } catch (error) {
    return `(the command could not be run: ${messageOf(error)})`;
  }
}

/** Runs the shell commands in a text, side by side, and puts their outputs in their places. */
export async function withOutputs(text: string, place: Place): Promise<string> {
  return withShells(text, await Promise.all(shellsIn(text).map((command) => outputOf(command, place))));
}

async function isFileInside(directory: string, path: string): Promise<boolean> {
  const handle = await openInside(directory, path, "read").catch(() => undefined);
  await handle?.close();
  return handle !== undefined;
}

/** The names that a reference can mean: with or without the marks that end a sentence. */
function candidates(reference: string): string[] {
  const bare = reference.replace(/[.:!?]+$/, "");
  return bare === reference || bare === "" ? [reference] : [reference, bare];
}

/** The files in the directory that a text names with an `@`. */
export async function filesNamed(text: string, directory: string): Promise<PromptPart[]> {
  const files = new Set<string>();
  for (const match of text.matchAll(REFERENCE)) {
    if (files.size >= MAX_FILES) break;
    for (const path of candidates(match[1] ?? "")) {
      if (!(await isFileInside(directory, path))) continue;
      files.add(path);
      break;
    }
  }
  return [...files].map((path) => ({ type: "file", path, name: path }));
}
