import { isDeeper, MAX_DEPTH } from "../../core/json/depth.ts";
import { type Fields, isFields } from "../../core/json/fields.ts";

export type LineNoise = "not_json" | "too_deep" | "not_an_object";

/** The object in a line of a program that speaks JSON. An empty line is nothing, and no noise. */
export function lineFields(text: string): { fields: Fields } | { noise?: LineNoise } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === "" ? {} : { noise: "not_json" };
  }
  if (isDeeper(value, MAX_DEPTH)) return { noise: "too_deep" };
  return isFields(value) ? { fields: value } : { noise: "not_an_object" };
}
