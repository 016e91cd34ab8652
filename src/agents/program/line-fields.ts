import { isDeeper, MAX_DEPTH } from "../../core/json/depth.ts";
import { type Fields, isFields } from "../../core/json/fields.ts";

export type LineNoise = "not_json" | "too_deep" | "not_an_object";

/** How a line of JSON begins. To find out by parsing costs a hundred times as much, and a program may write such lines for ever. */
const BEGINS = /^\s*(?:[[{"\-\d]|true|false|null)/;

/** A level takes two characters: a shorter line cannot be too deep, and its values need not be looked through. */
const MAY_BE_DEEP = 2 * MAX_DEPTH;

const OBJECT = "{".charCodeAt(0);

/** The object in a line of a program that speaks JSON. An empty line is nothing, and no noise. */
export function lineFields(text: string): { fields: Fields } | { noise?: LineNoise } {
  // Nearly all lines are objects, which the first character shows.
  if (text.charCodeAt(0) !== OBJECT && !BEGINS.test(text)) return text.trim() === "" ? {} : { noise: "not_json" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { noise: "not_json" };
  }
  if (text.length > MAY_BE_DEEP && isDeeper(value, MAX_DEPTH)) return { noise: "too_deep" };
  return isFields(value) ? { fields: value } : { noise: "not_an_object" };
}
