import { HOLE } from "../glob.ts";
import type { Word } from "./word.ts";

const META = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);
/** Characters that no two shells and locales agree on: blanks beyond ASCII, controls, marks of direction. */
const STRANGE = /[\p{Z}\p{C}]/u;
const ARITHMETIC = /\$\(\([\d +*/%-]*\)\)/y;
const SIMPLE_BRACES = /\$\{#?\w+\}/y;
const NAME = /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/y;

/** Reads the characters of words. Where shells differ, or where it gives up, there is a doubt. */
export abstract class Scanner {
  protected readonly text: string;
  protected at = 0;
  doubt: string | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Reads the commands of `$(…)`, from behind the opening bracket to behind the closing one. */
  protected abstract substitution(): void;
  /** Reads the commands between backticks. */
  protected abstract inner(text: string): void;

  protected doubtful(why: string): void {
    this.doubt ??= why;
  }

  protected take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? undefined;
    if (found) this.at += found[0].length;
    return found;
  }

  protected atEnd(): boolean {
    return this.at >= this.text.length;
  }

  protected atWord(): boolean {
    return !this.atEnd() && !META.has(this.text[this.at] ?? "");
  }

  protected skipBlanks(): void {
    this.take(/(?:[ \t]|\\\n)*/y);
  }

  protected word(): Word {
    const begin = this.at;
    let value = "";
    let bare = true;
    let splits = false;
    let several = false;
    /** From here on the shell makes something of the word, or several words. */
    let open: number | undefined;
    while (this.atWord()) {
      const char = this.text[this.at] ?? "";
      const first = this.at === begin;
      if (char === "'") {
        bare = false;
        value += this.singleQuoted();
      } else if (char === '"') {
        bare = false;
        this.at++;
        value += this.doubleQuoted('"');
      } else if (char === "\\") {
        bare = false;
        value += this.escaped();
      } else if (char === "$") {
        splits ||= !/^\$[?#$]|^\$'/.test(this.text.slice(this.at, this.at + 2));
        value += this.dollar(false);
      } else if (char === "`") {
        splits = true;
        value += this.backticks();
      } else if (this.take(/\{\}(?=[\s;&|<>()]|$)/y)) {
        value += "{}";
      } else if (char === "*" || char === "?") {
        this.at++;
        several = true;
        value += HOLE;
      } else if (this.opens(char, first)) {
        this.at++;
        several = true;
        open ??= value.length;
        value += HOLE;
      } else {
        if (STRANGE.test(char)) this.doubtful("a character that shells read in different ways");
        this.at++;
        value += char;
      }
    }
    const filled = open === undefined ? value : `${value.slice(0, open)}${HOLE}`;
    // All words of a script or function come each for itself, also between quotes.
    splits ||= /\$(?:@|\{@)/.test(this.text.slice(begin, this.at));
    return { value: filled, bare, ...(splits && filled.includes(HOLE) && { splits }), ...(several && { several }) };
  }

  /** Characters after which nobody can say what the word will be: `[ab]`, `{a,b}`, `~user`, and `=program` in some shells. */
  private opens(char: string, first: boolean): boolean {
    if (first && char === "~") return true;
    if (first && char === "=") return !/^==?(?![^\s;&|<>()])/.test(this.text.slice(this.at, this.at + 3));
    if (char === "[" || char === "{") return !(first && this.endsAfter());
    return char === "~" && /[=:]/.test(this.text[this.at - 1] ?? "");
  }

  /** The character here is the last of its word. */
  private endsAfter(): boolean {
    const next = this.text[this.at + 1];
    return next === undefined || META.has(next);
  }

  private singleQuoted(): string {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) return this.cut("a quote that does not end");
    const value = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return value;
  }

  /** From behind the opening quote. Without a quote to end it, the whole text is read as if it were quoted. */
  protected doubleQuoted(end?: '"'): string {
    let value = "";
    while (!this.atEnd()) {
      const char = this.text[this.at] ?? "";
      if (char === end) {
        this.at++;
        return value;
      }
      if (char === "$") {
        value += this.dollar(true);
      } else if (char === "`") {
        value += this.backticks();
      } else if (char === "\\" && /[$`"\\\n]/.test(this.text[this.at + 1] ?? "")) {
        value += this.escaped();
      } else {
        value += char;
        this.at++;
      }
    }
    return end === undefined ? value : this.cut("a quote that does not end");
  }

  private escaped(): string {
    const next = this.text[this.at + 1];
    this.at += 2;
    if (next === undefined) return this.cut("a backslash at the end");
    if (next !== "\n") return next;
    // The shell joins the lines before it reads: `$` and `(` become one, and a keyword stays one.
    this.doubtful("a word that goes on in the next line");
    return "";
  }

  private backticks(): string {
    const found = this.take(/`((?:[^`\\]|\\[\s\S])*)`/y);
    if (!found) return this.cut("a backtick that does not end");
    const [, inside = ""] = found;
    if (inside.includes("\\")) this.doubtful("a backslash between backticks");
    this.inner(inside.replaceAll(/\\([\\$`"])/g, "$1"));
    return HOLE;
  }

  private dollar(quoted: boolean): string {
    if (this.take(ARITHMETIC) || this.take(SIMPLE_BRACES) || this.take(NAME)) return HOLE;
    const next = this.text[this.at + 1] ?? "";
    if (next === "(") {
      this.at += 2;
      if (this.take(/(?=(?:\\\n)*\()/y)) this.doubtful("arithmetic");
      this.substitution();
      return HOLE;
    }
    if (next === "{" || next === "[") {
      this.doubtful(`$${next}…`);
      this.at += 2;
      return HOLE;
    }
    if (next === "'" && !quoted) return this.dollarQuoted();
    this.at++;
    return (next === '"' && !quoted) || "=~^+:".includes(next || " ") ? HOLE : "$";
  }

  /** `$'…'` is known to some shells only, and those that do not know it see another end in a quote behind a backslash. */
  private dollarQuoted(): string {
    const found = this.take(/\$'((?:[^'\\]|\\[\s\S])*)'/y);
    if (!found) return this.cut("a quote that does not end");
    if (found[0].includes("\\'")) this.doubtful("a quote behind a backslash in $'…'");
    return HOLE;
  }

  private cut(why: string): string {
    this.doubtful(why);
    this.at = this.text.length;
    return HOLE;
  }
}
