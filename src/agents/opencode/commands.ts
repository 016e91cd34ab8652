import { type Fields, present, textIn } from "../../core/json/fields.ts";
import { filledTemplate } from "./filled-template.ts";

/** A command of the program's that a prompt calls. */
export interface CalledCommand {
  name: string;
  words: string;
  /** The agent that works on it, where it names one. */
  agent?: string;
  /** A sub-agent works on it. */
  isTask: boolean;
  /** The lines of shell in its text: the program runs them by itself and asks nobody. */
  lines: string[];
  /** Its text with the words in it: the program reads the files that this names by `@`, and asks nobody. */
  text: string;
  /** Why there may be more lines in it than these. */
  doubt?: string;
}

const LINE = /!`([^`]+)`/g;
const PLACE = /\$(?:\d|ARGUMENTS)/;
/** Words that are no more than words to a shell. */
const PLAIN = /^[\w\s./@:=+,-]*$/;

const linesIn = (text: string): string[] => [...text.matchAll(LINE)].map(([, line = ""]) => line);

/**
 * A command with the words behind it. A place for words in a line of shell is left as it is: rules take it for a variable, whose value may be anything, but not for
 * more than words.
 */
export function calledCommand({ name, words }: { name: string; words: string }, known: Fields): CalledCommand {
  const { template } = known;
  const lines = typeof template === "string" ? linesIn(template) : [];
  const doubt = doubtOf(template, lines, words);
  const agent = textIn(known, "agent");
  const text = typeof template === "string" ? filledTemplate(template, words) : "";
  return { name, words, lines, text, isTask: known.subtask === true, ...present({ agent, doubt }) };
}

function doubtOf(template: unknown, lines: readonly string[], words: string): string | undefined {
  if (typeof template !== "string") return "its text is not known";
  if (words.includes("`")) return "a ` is among its words";
  if (!PLAIN.test(words) && lines.some((line) => PLACE.test(line))) return "its words become part of a line of shell";
  return undefined;
}

/** Work that the program would do for a command by itself: the reason why a line of shell, or the reading of a file, is refused. */
export interface Hearing {
  line(line: string): Promise<string | undefined>;
  file(path: string): Promise<string | undefined>;
}

/** Holds what a command does by itself against the session's rules. `files`: those that its text names. `isGated`: sub-agents are held to rules, too. */
export async function assertAllowed(
  { name, lines, doubt, isTask }: CalledCommand,
  files: readonly string[],
  isGated: boolean,
  hear: Hearing,
): Promise<void> {
  const why = doubt ?? (isTask && !isGated ? "a sub-agent works on it, whose calls are not asked for" : undefined);
  if (why !== undefined) throw new Error(`the session's rules cannot hold for /${name}: ${why}`);
  const refusals = [...lines.map((line) => () => hear.line(line)), ...files.map((path) => () => hear.file(path))];
  for (const refusal of refusals) {
    const refused = await refusal();
    if (refused !== undefined) throw new Error(refused);
  }
}
