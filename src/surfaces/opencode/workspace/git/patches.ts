import { unquoted } from "./quoted-path.ts";

/** A whole diff, cut where each file's begins. */
export function splitPatch(text: string): string[] {
  return text.split(/^(?=diff --git )/m).filter((piece) => piece.startsWith("diff --git "));
}

/** The file that a piece is about: its new name, or its old one where it is gone. */
export function fileOfPatch(piece: string): string | undefined {
  const header = piece.split(/^@@/m, 1)[0] ?? "";
  for (const [mark, prefix] of [
    ["+++", "b/"],
    ["---", "a/"],
  ] as const) {
    const line = header.split("\n").find((one) => one.startsWith(`${mark} `));
    // A path with a space has a tab after it.
    const path = line === undefined ? "" : unquoted(line.slice(4).replace(/\t$/, ""));
    if (path.startsWith(prefix)) return path.slice(2);
  }
  // A file without lines, or without text, has only its first line, with the name twice.
  const [, first = ""] = /^diff --git (.*)$/m.exec(piece) ?? [];
  if (first.startsWith('"')) return unquoted(first.slice(0, first.indexOf('" ') + 1)).slice(2);
  return first.slice(2, (first.length - 1) / 2);
}
