import { type Fields, fieldsIn, textIn } from "../../core/json/fields.ts";
import { type LineNoise, lineFields } from "../program/line-fields.ts";
import type { RequestId } from "./rpc.ts";

/** A line of the program as what it is. */
export type Heard =
  | { what: "answer"; line: Fields }
  | { what: "request"; id: RequestId; method: string; params: Fields }
  | { what: "notification"; method: string; params: Fields }
  | { what: "nothing"; noise?: LineNoise | "no_message" };

/** Colours and titles of terminals, which some programs write before their lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ESCAPES = /^(?:\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))|\ufeff|\r)+/;

export function isId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number" || id === null;
}

/** Reads one line. A line with a method is the program's own; both sides count their requests, so the same id may stand for two. */
export function readLine(text: string): Heard {
  const read = lineFields(text.replace(ESCAPES, ""));
  if (!("fields" in read)) return { what: "nothing", ...read };
  const { fields: line } = read;
  const method = textIn(line, "method");
  if (method === undefined) {
    const isAnswer = isId(line.id) && ("result" in line || "error" in line);
    return isAnswer ? { what: "answer", line } : { what: "nothing", noise: "no_message" };
  }
  const params = fieldsIn(line, "params");
  return "id" in line && isId(line.id)
    ? { what: "request", id: line.id, method, params }
    : { what: "notification", method, params };
}
