import { DURATION_PHRASE, parseDuration } from "./duration.ts";

/** How a setting is written as text, in a flag or in the environment. */
export interface TextValue<T> {
  expected: string;
  /** Undefined when the text means nothing. */
  parse(text: string): T | undefined;
}

export const text: TextValue<string> = { expected: "a text", parse: (value) => value };

export const port: TextValue<number> = {
  expected: "a port from 0 to 65535",
  parse: (value) => (/^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined),
};

export const count: TextValue<number> = {
  expected: "a whole number, 0 or more",
  parse: (value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined),
};

export const duration: TextValue<number> = { expected: DURATION_PHRASE, parse: parseDuration };

export const list: TextValue<readonly string[]> = {
  expected: "a list with commas",
  parse: (value) =>
    value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
};

const TRUE = ["1", "true", "yes", "on"];
const FALSE = ["0", "false", "no", "off"];

export const flag: TextValue<boolean> = {
  expected: "true or false",
  parse: (value) => (TRUE.includes(value) ? true : FALSE.includes(value) ? false : undefined),
};

export function oneOf<const T extends string>(choices: readonly T[]): TextValue<T> {
  return {
    expected: `one of ${choices.join(", ")}`,
    parse: (value) => choices.find((choice) => choice === value),
  };
}
