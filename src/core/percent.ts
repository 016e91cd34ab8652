/** Text with its percent-encoding undone; one whose percent signs encode nothing stays as it came. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
