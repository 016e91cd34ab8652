/** A text with its percent-encoding undone; a text that is not percent-encoded stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
