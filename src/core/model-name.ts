const LONGEST = 256;
// A control character, a line or paragraph separator, or half of a character.
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** Says why a name cannot be given to a program as the name of a model; undefined when it can. */
export function modelNameFault(name: string): string | undefined {
  if (name.trim() === "") return "it is empty";
  if (name.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (name.startsWith("-")) return "it begins with -, as the flags of programs do";
  if (name !== name.trim()) return "it begins or ends with white space";
  if (UNPRINTABLE.test(name)) return "it holds a control character";
  return undefined;
}
