/** The names of an interface's options: the compiler asks for all of them. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>;

/** Names of a prompt's fields, which are often given as options by mistake. */
const OF_THE_PROMPT = ["id", "text", "parts", "delivery", "model", "mode", "options", "system", "attended"];

/** Refuses options that a function does not have: they would be left out without a word. */
export function checkOptions<T extends object>(call: string, options: T, names: OptionNames<T>): void {
  const given: unknown = options;
  if (typeof given !== "object" || given === null) throw new TypeError(`${call} expects options as an object`);
  const wrong = Object.keys(given).find((name) => !Object.hasOwn(names, name));
  if (wrong === undefined) return;
  const ofPrompt = OF_THE_PROMPT.includes(wrong) && (call === "run" || call === "prompt");
  const advice = ofPrompt
    ? `it belongs to the prompt: ${call}({ ${wrong === "text" || wrong === "parts" ? "" : "text, "}${wrong} })`
    : `it has: ${Object.keys(names).join(", ")}`;
  throw new TypeError(`${call} has no option "${wrong}"; ${advice}`);
}
