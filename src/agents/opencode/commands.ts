import { type Fields, present, textIn } from "../../core/json/fields.ts";

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
  return { name, words, lines, isTask: known.subtask === true, ...present({ agent, doubt }) };
}

function doubtOf(template: unknown, lines: readonly string[], words: string): string | undefined {
  if (typeof template !== "string") return "its text is not known";
  if (words.includes("`")) return "a ` is among its words";
  if (!PLAIN.test(words) && lines.some((line) => PLACE.test(line))) return "its words become part of a line of shell";
  return undefined;
}

/** Holds a command's lines of shell against the session's rules. `hear` resolves with the reason why one is refused. `isGated`: sub-agents are held to them, too. */
export async function assertAllowed(
  { name, lines, doubt, isTask }: CalledCommand,
  isGated: boolean,
  hear: (line: string) => Promise<string | undefined>,
): Promise<void> {
  const why = doubt ?? (isTask && !isGated ? "a sub-agent works on it, whose calls are not asked for" : undefined);
  if (why !== undefined) throw new Error(`the session's rules cannot hold for /${name}: ${why}`);
  for (const line of lines) {
    const refused = await hear(line);
    if (refused !== undefined) throw new Error(refused);
  }
}
