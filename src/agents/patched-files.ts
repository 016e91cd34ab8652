const BEGIN = "*** Begin Patch";
/** Programs take blanks before a header for nothing, need none behind its colon, and end a line nowhere but at a newline. */
const HEADER = /^\s*\*\*\* (?:Add File|Update File|Delete File|Move to):([\s\S]+)$/;
/** Their blanks are those of Unicode, and JavaScript's are not quite. */
const BLANKS = /^[\s\u0085]+|[\s\u0085]+$/g;

/** The files that a patch names, in the format of `apply_patch`, as it names them; those of a patch within a line of shell, too. */
export function patchedFiles(text: string): string[] {
  if (!text.includes(BEGIN)) return [];
  const named = text
    .split("\n")
    .flatMap((line) => HEADER.exec(line.replace(BLANKS, ""))?.[1]?.replace(BLANKS, "") ?? []);
  return [...new Set(named)];
}
