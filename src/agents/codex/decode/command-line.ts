import { type Fields, textIn } from "../../../core/json/fields.ts";
import { readLine } from "../../../core/permissions/shell/read-line.ts";
import { isKnown } from "../../../core/permissions/shell/word.ts";
import { placedLine } from "../../placed-line.ts";

/** The shells of the machine. One that lies elsewhere may be anything, and is shown. */
const SHELL = /^(?:\/(?:usr\/|usr\/local\/|opt\/homebrew\/|run\/current-system\/sw\/)?bin\/)?(?:ba|z|da)?sh$/;
const RUNS = /^-l?c$/;

/** The line of shell that the program gives to a shell, as the model wrote it; the whole command where it is given otherwise. */
export function shellLine(command: string): string {
  const { commands, doubt } = readLine(command);
  const [only, ...others] = commands;
  if (doubt !== undefined || !only || others.length > 0) return command;
  const { words, assignments, redirections } = only;
  const [shell, runs, line, ...rest] = words;
  if (assignments.length + redirections.length + rest.length > 0 || !words.every(isKnown)) return command;
  if (!shell || !runs || !line || !SHELL.test(shell.value) || !RUNS.test(runs.value)) return command;
  return line.value;
}

/** The line of an item, or of an ask for it, as rules are held against it. */
export function ruledLine(item: Fields, directory: string): string | undefined {
  const command = textIn(item, "command");
  if (command === undefined) return undefined;
  return placedLine(shellLine(command), textIn(item, "cwd") ?? directory, directory);
}
