import { getLocation, type ParseError, printParseErrorCode } from "jsonc-parser";

const SHOWN = 30;

const VALUE = "a value (a text in double quotes, a number, true, false, a list or an object)";

/** The text at a place, up to where the next word begins. Empty at the end of the file. */
function wordAt(text: string, offset: number): string {
  const [word = ""] = /^(?:"[^"\n]*"?|[\w.+-]+|[^\s\w]+?(?=["\w\s{}[\]:,]|$))/u.exec(text.slice(offset)) ?? [];
  return word.length > SHOWN ? `${word.slice(0, SHOWN)}…` : word;
}

/** The words at a place in the file. Those of a token, or of an agent's environment, are not repeated. */
function got(text: string, offset: number): string {
  if (offset >= text.trimEnd().length) return "the end of the file";
  const { path } = getLocation(text, offset);
  return path[0] === "token" || path.includes("env") ? "something else" : wordAt(text, offset) || "something else";
}

/** Where a value stands in the wrong form, or none. Most mistakes are habits from JavaScript or another format. */
function valueAt(text: string, offset: number): string {
  const word = wordAt(text, offset);
  const before = text.slice(0, offset).trimEnd().at(-1);
  if (word.startsWith("#")) return "// before a comment";
  if (/^['‘’“”`]/.test(word)) return 'double quotes (")';
  if (before === undefined) return "{ at the beginning";
  if (before === "{" || /^[^\s:,{}[\]]*\s*[:=]/.test(text.slice(offset))) return "a key in double quotes";
  return /[:,[]/.test(before) ? VALUE : "a comma or a closing bracket";
}

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidNumberFormat: "a number",
  UnexpectedEndOfNumber: "a number",
  PropertyNameExpected: "a key in double quotes",
  ColonExpected: "a colon after the key",
  CommaExpected: "a comma after the value before",
  CloseBraceExpected: "a comma or }",
  CloseBracketExpected: "a comma or ]",
  EndOfFileExpected: "the end of the file",
};

/** Mistakes inside of a text or a comment, which say themselves what is there. */
const INSIDE: Readonly<Record<string, string>> = {
  UnexpectedEndOfComment: "expected */ at the end of this comment, got the end of the file",
  UnexpectedEndOfString: 'expected " at the end of this text, got the end of the line',
  InvalidUnicode: "expected four hexadecimal digits after \\u in this text",
  InvalidEscapeCharacter: 'expected one of " \\ / b f n r t u after a backslash in this text',
  InvalidCharacter: "expected no control characters in this text: a tab is \\t",
};

/** A mistake in the syntax of JSON with comments: the words that were expected, and those that are there. */
export function syntaxMessage(text: string, { error, offset }: ParseError): string {
  const code = printParseErrorCode(error);
  return INSIDE[code] ?? `expected ${EXPECTED[code] ?? valueAt(text, offset)}, got ${got(text, offset)}`;
}
