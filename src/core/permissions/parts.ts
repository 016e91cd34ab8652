import { type CommandPart, commandPart, plainText } from "./command-part.ts";
import { type FilePart, filePart, isStream } from "./file-part.ts";
import { HOLE } from "./glob.ts";
import { type Insight, opaque } from "./programs/insight.ts";
import { insightOf } from "./programs/known.ts";
import { readLine } from "./shell/read-line.ts";
import { type Assignment, isKnown, type SimpleCommand, type Word } from "./shell/word.ts";

export type Part = CommandPart | FilePart;

export interface Parts {
  parts: Part[];
  /** Why there may be more in the line than these. */
  doubt?: string;
}

/** How deep lines of shell may hold further lines, as in `sh -c`. */
const DEEPEST = 4;
const MOST = 400;

class PartsReader {
  readonly parts: Part[] = [];
  doubt: string | undefined;
  /** The shell may be in another directory than the session's. */
  #moved: boolean;
  #loops = false;
  /** A stream is written by its name. */
  #streams = false;
  readonly #directory: string;

  constructor(directory: string, moved = false) {
    this.#directory = directory;
    this.#moved = moved;
  }

  /** A command before a change of the directory in a line comes after it in a loop. */
  get turns(): boolean {
    return this.#loops && this.#moved;
  }

  /** Reads the whole line of a session. */
  whole(text: string): void {
    this.line(text, 0);
    if (this.#streams && this.parts.some(({ kind }) => kind === "read")) this.#file("write", HOLE);
  }

  line(text: string, depth: number): void {
    if (/\b(?:for|while|until)\b/.test(text)) this.#loops = true;
    const { commands, doubt } = readLine(text);
    if (doubt !== undefined) this.doubt ??= doubt;
    if (depth > DEEPEST) this.doubt ??= "lines in lines in lines";
    else for (const command of commands) this.command(command, depth);
  }

  command({ assignments, words, redirections }: SimpleCommand, depth: number): void {
    if (words.length > 0 || assignments.length > 0) this.#program(assignments, words, depth, false);
    for (const { kind, path } of redirections) this.#file(kind, path);
  }

  #add(part: Part): void {
    if (this.parts.length < MOST) this.parts.push(part);
    else this.doubt ??= "very many commands";
  }

  #file(kind: FilePart["kind"], path: string): void {
    if (path === "/dev/null") return;
    if (kind === "write" && isStream(path)) this.#streams = true;
    else this.#add(filePart(kind, path, { directory: this.#directory, moved: this.#moved }));
  }

  #program(assignments: readonly Assignment[], words: readonly Word[], depth: number, told: boolean): void {
    const [program] = words;
    const name = (program?.value ?? "").split("/").at(-1) ?? "";
    const insight: Insight = !program || isKnown(program) ? insightOf(name, words) : opaque(words);
    const own = program && this.#moved && /^[^/].*\//.test(program.value) ? [unknown, ...words.slice(1)] : words;
    const part = commandPart(assignments, own, insight, told);
    for (const { value } of assignments) if (isKnown({ value })) part.also.push(...commandsIn(value));
    this.#add(part);
    if (/^(?:cd|pushd|popd|chdir)$/.test(name)) this.#moved = true;
    if (depth >= DEEPEST && (insight.inner ?? insight.told ?? insight.lines)) this.doubt ??= "programs in programs";
    else this.#insight(insight, words, depth + 1, told);
  }

  #insight(
    { inner = [], told = [], lines = [], writes = [], hidden }: Insight,
    words: readonly Word[],
    depth: number,
    wasTold: boolean,
  ): void {
    for (const one of inner) if (one.words.length > 0) this.#program(one.assignments ?? [], one.words, depth, wasTold);
    for (const one of told) this.#program([], one.words, depth, true);
    for (const one of lines) this.line(one, depth);
    for (const path of writes) this.#file("write", path);
    if (hidden && told.length === 0) this.#suspicion(words, depth);
  }

  /** Adds the commands that a program which is not looked through may run: for denials only. */
  #suspicion(words: readonly Word[], depth: number): void {
    const last = this.parts.at(-1);
    if (last?.kind !== "command" || depth > DEEPEST) return;
    for (let at = 1; at < Math.min(words.length, 16); at++) {
      last.also.push(plainText(words.slice(at)));
      const text = words[at]?.value ?? "";
      last.also.push(...commandsIn(text), ...commandsIn(text.replace(/^\w+\+?=/, "")));
    }
  }
}

/** Commands in a text, if it were a line of shell. */
function commandsIn(text: string): string[] {
  return readLine(text)
    .commands.slice(0, 16)
    .map(({ words }) => plainText(words));
}

const unknown: Word = { value: HOLE, bare: false };

/** The commands that a line of shell runs and the files it opens, as far as it can be read. */
export function partsOf(line: string, directory: string): Parts {
  let reader = new PartsReader(directory);
  reader.whole(line);
  if (reader.turns) {
    reader = new PartsReader(directory, true);
    reader.whole(line);
  }
  const { parts, doubt } = reader;
  return doubt === undefined ? { parts } : { parts, doubt };
}
