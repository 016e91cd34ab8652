/** The beginning of an agent's name that is a command line. */
export const COMMAND_PREFIX = "acp:";

/** Names are kept with each session and shown in lists. */
const LONGEST = 1_000;

export type CommandLine = { argv: readonly [string, ...string[]] } | { problem: string };

// A control character, a line or paragraph separator, or half of a character.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
const OPERATOR = /[|&;<>()`]/;
const ESCAPED_IN_QUOTES = /["\\$`]/;

const NO_SHELL = "there is no shell: quote it, or put the line into a script";

/** The words of a command line, with quotes and backslashes as a shell reads them. Nothing is expanded. */
function wordsOf(text: string): string[] | string {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (quote === "'" || quote === '"') {
      if (letter === quote) quote = "";
      else if (quote === '"' && letter === "\\" && ESCAPED_IN_QUOTES.test(text.charAt(at + 1)))
        word += text.charAt(++at);
      else word += letter;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= "";
    } else if (letter === "\\") {
      if (at === text.length - 1) return "a backslash at its end quotes nothing";
      word = (word ?? "") + text.charAt(++at);
    } else if (letter === " ") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (OPERATOR.test(letter)) {
      return `${letter} means something to a shell, and ${NO_SHELL}`;
    } else word = (word ?? "") + letter;
  }
  if (quote !== "") return `the quote ${quote} is not closed`;
  return word === undefined ? words : [...words, word];
}

function problemOf(program: string | undefined): string | undefined {
  if (!program) return "no program";
  if (program.startsWith("~")) return `${program}, where ~ is no directory: write the whole path`;
  if (!program.startsWith("/") && program.includes("/"))
    return `${program}, which would be another program in each directory: write the whole path, or a name in the search path`;
  return undefined;
}

/** Reads `acp:program arguments`. */
export function readCommandName(name: string): CommandLine {
  const expected = 'expected "acp:" with a program and its arguments';
  if (name.length > LONGEST) return { problem: `${expected} in at most ${LONGEST} characters, got ${name.length}` };
  const text = name.slice(COMMAND_PREFIX.length);
  if (UNPRINTABLE.test(text)) return { problem: `${expected} in one line, got a control character` };
  const words = wordsOf(text);
  if (typeof words === "string") return { problem: `${expected}, but ${words}` };
  const [program, ...args] = words;
  const problem = problemOf(program);
  return program === undefined || problem ? { problem: `${expected}, got ${problem}` } : { argv: [program, ...args] };
}

const PLAIN = /^[^\s'"\\|&;<>()`]+$/;

/** The one name of a command line, however its words were quoted. */
export function commandName(argv: readonly string[]): string {
  const quoted = argv.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`));
  return COMMAND_PREFIX + quoted.join(" ");
}

/** Whether an agent's name is a command line. */
export function isCommandName(name: string): boolean {
  return name.startsWith(COMMAND_PREFIX);
}
