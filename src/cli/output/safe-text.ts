/** Everything that could move a cursor, hide or turn text around in a terminal; line feeds and tabs are let through. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

function spelled(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Text of an agent for a terminal: what could fake or hide something is spelled out. */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, spelled);
}

/** The same, in one line of bounded length. */
export function safeLine(text: string, limit = 120): string {
  const line = safeText(text).replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** The same, with its lines as they are: those after the first are set in. */
export function safeLines(text: string, limit: number): string {
  const lines = safeText(text).trim().replace(/\n+/g, "\n  ");
  return lines.length > limit ? `${lines.slice(0, limit - 1)}…` : lines;
}
