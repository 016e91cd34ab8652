import { HOLE } from "../glob.ts";
import { type HereDocument, hereBody, hereDelimiter } from "./here-document.ts";
import { Scanner } from "./scanner.ts";
import type { Reading, Redirection, SimpleCommand, Word } from "./word.ts";

/** A longer line is not read, nor one with more commands or deeper brackets: nobody looks such a line through either. */
const LONGEST = 32_768;
const MOST_COMMANDS = 100;
const DEEPEST = 8;

/** Words behind which another command begins. */
const BEFORE_COMMAND = new Set(["!", "{", "if", "then", "elif", "else", "while", "until", "do"]);
/** Words that end a command made of others. */
const AFTER_COMMANDS = new Set(["}", "fi", "done"]);
/** Words of the shell that are not read: some shells know them, some take them for programs. */
const UNREAD = new Set(["case", "esac", "select", "function", "coproc", "[[", "]]", "foreach", "end", "in"]);
/** Names of loops' variables that mean nothing to any shell or program. */
const LOOP_NAME = /^(?:[a-z]|file|dir|name|item|line|pkg|test|branch|ext|path_?name)$/;

function empty(): SimpleCommand {
  return { assignments: [], words: [], redirections: [] };
}

function isEmpty({ assignments, words, redirections }: SimpleCommand): boolean {
  return assignments.length + words.length + redirections.length === 0;
}

class LineReader extends Scanner {
  readonly commands: SimpleCommand[] = [];
  #current = empty();
  /** Behind `)`, `}`, `fi` and `done` there are no words. */
  #closed = false;
  /** Behind `&>file` shells do not agree on where the words belong. */
  #split = false;
  #here: HereDocument[] = [];
  #depth: number;

  constructor(text: string, depth = 0) {
    super(text);
    this.#depth = depth;
  }

  read(): this {
    if (this.text.length > LONGEST) this.doubtful("a very long line");
    else this.#list(false);
    return this;
  }

  /** Reads the text of a here-document, which the shell reads like text between double quotes. */
  readQuoted(): this {
    if (/\\\n/.test(this.text)) this.doubtful("a here-document's line that goes on in the next one");
    this.doubleQuoted();
    return this;
  }

  protected substitution(): void {
    const [current, closed, split, here] = [this.#current, this.#closed, this.#split, this.#here];
    [this.#current, this.#closed, this.#split, this.#here] = [empty(), false, false, []];
    const begin = this.at;
    this.#nested(() => this.#list(true));
    this.#assertOneLine(begin, here);
    [this.#current, this.#closed, this.#split, this.#here] = [current, closed, split, here];
  }

  /** The text of a here-document begins at the end of a line, and nobody agrees on which where something has lines. */
  #assertOneLine(begin: number, here: readonly HereDocument[]): void {
    if (here.length > 0 && this.text.slice(begin, this.at).includes("\n"))
      this.doubtful("several lines beside a here-document");
  }

  protected inner(text: string): void {
    this.#nested(() => this.#add(new LineReader(text, this.#depth).read()));
  }

  #nested(read: () => void): void {
    this.#depth++;
    if (this.#depth <= DEEPEST) read();
    else {
      this.doubtful("commands in commands in commands");
      this.at = this.text.length;
    }
    this.#depth--;
  }

  #add({ commands, doubt }: LineReader): void {
    this.commands.push(...commands);
    if (doubt !== undefined) this.doubtful(doubt);
  }

  #list(inBrackets: boolean): void {
    for (;;) {
      this.skipBlanks();
      if (this.commands.length > MOST_COMMANDS) {
        this.doubtful("very many commands");
        this.at = this.text.length;
      }
      if (this.atEnd()) {
        if (inBrackets) this.doubtful("a bracket that does not end");
        if (this.#here.length > 0) this.doubtful("a here-document without its text");
        return this.#finish();
      }
      if (this.take(/\)/y)) {
        this.#finish();
        if (inBrackets) {
          if (this.#here.length > 0) this.doubtful("a here-document without its text");
          return;
        }
        this.doubtful("a bracket that was not opened");
      } else this.#token();
    }
  }

  #token(): void {
    if (this.take(/\n/y)) {
      this.#finish();
      this.#hereBodies();
    } else if (this.take(/#[^\n]*/y)) {
      if (this.#depth > 0) this.doubtful("a comment between brackets");
    } else if (this.take(/;;|;&|;\|/y)) {
      this.doubtful("case");
      this.#finish();
    } else if (this.take(/&&|\|\||\|&|;|\||&(?!>)/y)) this.#finish();
    else if (this.take(/\(/y)) this.#bracket();
    else if (/[<>&]/.test(this.text[this.at] ?? "")) this.#redirection();
    else if (this.take(/\d+(?=[<>])/y)) this.#redirection();
    else this.#word();
  }

  #finish(): void {
    if (!isEmpty(this.#current)) this.commands.push(this.#current);
    this.#current = empty();
    this.#closed = false;
    this.#split = false;
  }

  /** A subshell; behind a word a function, or what only some shells know. */
  #bracket(): void {
    if (this.take(/(?=(?:\\\n)*\()/y)) this.doubtful("arithmetic");
    if (!isEmpty(this.#current) || this.#closed) this.doubtful("a bracket behind a word");
    if (!isEmpty(this.#current) && this.take(/[ \t]*\)/y)) return this.#finish();
    this.#finish();
    this.substitution();
    this.#closed = true;
  }

  #word(): void {
    const command = this.#current;
    const bare = isEmpty(command) && this.take(/(?:!|[a-z{}[\]]+)(?=[\s;&|<>()]|$)/y)?.[0];
    if (bare && this.#keyword(bare)) return;
    if (bare) this.at -= bare.length;
    if (this.#closed || this.#split) {
      this.doubtful("words where none can be");
      if (this.#split) this.#finish();
      this.#closed = false;
    }
    const assigned = command.words.length === 0 ? this.take(/([A-Za-z_]\w*)(\[[^\]\s]*\])?\+?=/y) : undefined;
    if (assigned) this.#assignment(assigned);
    else this.#argument(this.#wholeWord());
  }

  #argument(word: Word): void {
    // Some shells end a command before a closing brace, wherever it is.
    if (word.bare && (word.value === "{" || word.value === "}")) {
      this.doubtful("a brace among words");
      this.#finish();
    } else this.#current.words.push(word);
  }

  #assignment([, name = "", index]: RegExpExecArray): void {
    if (index !== undefined || this.text[this.at] === "(") this.doubtful("an array");
    const value = this.atWord() ? this.#wholeWord().value : "";
    this.#current.assignments.push({ name, value });
  }

  #keyword(word: string): boolean {
    if (this.#closed && !BEFORE_COMMAND.has(word) && !AFTER_COMMANDS.has(word)) return false;
    if (BEFORE_COMMAND.has(word)) this.#closed = false;
    else if (AFTER_COMMANDS.has(word)) this.#closed = true;
    else if (word === "for") this.#loop();
    else if (UNREAD.has(word)) this.doubtful(word);
    else return false;
    return true;
  }

  /** `for name in words`, up to where the loop's body begins. */
  #loop(): void {
    const begin = this.at;
    this.#loopHead();
    this.#assertOneLine(begin, this.#here);
  }

  #loopHead(): void {
    this.skipBlanks();
    const name = this.take(/[A-Za-z_]\w*(?=[\s;])/y)?.[0];
    if (name === undefined) return this.doubtful("for");
    if (!LOOP_NAME.test(name)) this.commands.push({ ...empty(), assignments: [{ name, value: HOLE }] });
    this.take(/\s*/y);
    if (!this.take(/in(?=[\s;])/y)) return;
    for (this.skipBlanks(); this.atWord(); this.skipBlanks()) this.#wholeWord();
    if (!this.take(/[;\n]/y)) this.doubtful("for");
  }

  #wholeWord(): Word {
    const begin = this.at;
    const word = this.word();
    this.#assertOneLine(begin, this.#here);
    if (/[<>]/.test(this.text[this.at] ?? "") && /^\{[\s\S]*\}$/.test(this.text.slice(begin, this.at)))
      this.doubtful("a redirection to a variable");
    return word;
  }

  #redirection(): void {
    if (/[<>]/.test(this.text[this.at] ?? "") && this.text[this.at + 1] === "(") return this.#processSubstitution();
    const [operator = ""] = this.take(/<<<|<<-|<<|<&|<>|<|&>>|&>|>>|>&|>\||>/y) ?? [];
    this.skipBlanks();
    if (operator === "<<" || operator === "<<-") return this.#hereStart(operator === "<<-");
    if (!this.atWord()) return this.doubtful("a redirection to nothing");
    const { value, bare } = this.#wholeWord();
    // Some shells take it for a part of the operator.
    if (bare && value.startsWith("!")) this.doubtful("a redirection with an exclamation mark");
    if (operator.startsWith("&")) this.#split = true;
    if (operator === "<<<" || (/^[<>]&$/.test(operator) && /^(?:\d+-?|-)$/.test(value))) return;
    if (operator === "<&" || value.startsWith("/dev/tcp/") || value.startsWith("/dev/udp/"))
      this.doubtful("a redirection that is no file");
    const kinds: readonly Redirection["kind"][] =
      operator === "<>" ? ["read", "write"] : [operator === "<" || operator === "<&" ? "read" : "write"];
    this.#current.redirections.push(...kinds.map((kind) => ({ kind, path: value })));
  }

  #processSubstitution(): void {
    if (this.#closed || this.#split || !/[\s;&|(]/.test(this.text[this.at - 1] ?? " "))
      this.doubtful("commands in the middle of a word");
    this.at += 2;
    this.substitution();
    if (this.atWord()) this.doubtful("commands in the middle of a word");
    this.#current.words.push({ value: HOLE, bare: false });
  }

  #hereStart(tabs: boolean): void {
    const found = hereDelimiter(this.text, this.at);
    if (!found || (this.#depth > 0 && !found.quoted)) this.doubtful("a here-document");
    if (!found) return;
    this.at += found.length;
    if (this.atWord()) this.doubtful("a here-document");
    this.#here.push({ ...found, tabs });
  }

  #hereBodies(): void {
    for (const document of this.#here.splice(0)) {
      const body = hereBody(this.text, this.at, document);
      if (!body) {
        this.doubtful("a here-document without its end");
        this.at = this.text.length;
        return;
      }
      this.at = body.end;
      if (this.#depth > 0 && !body.plain) this.doubtful("a here-document between brackets");
      if (!document.quoted)
        this.#nested(() => this.#add(new LineReader(this.text.slice(body.begin, body.last), this.#depth).readQuoted()));
    }
  }
}

/** The commands of a line of shell, in whatever brackets they are. Its time grows with the line's length only. */
export function readLine(text: string): Reading {
  const { commands, doubt } = new LineReader(text).read();
  return doubt === undefined ? { commands } : { commands, doubt };
}
