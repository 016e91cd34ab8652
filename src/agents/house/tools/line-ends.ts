/** Whether every line of a text ends with a carriage return, too. Models write line feeds alone. */
export function usesCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
}

/** A piece of text with the line ends of the text it is meant for. */
export function withLineEndsOf(whole: string, piece: string): string {
  return usesCrlf(whole) ? piece.replaceAll(/\r?\n/g, "\r\n") : piece;
}
