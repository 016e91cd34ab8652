import { jsonIn, objectAs } from "../../core/json/fields.ts";
import type { LogFields } from "../../core/logger.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

const COLOUR: Readonly<Record<LogLevel, string>> = { debug: "90", info: "32", warn: "33", error: "31" };
const WIDTH = 5;

function isLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

export interface LogLine {
  level: LogLevel;
  time: number;
  fields: LogFields;
  message: string;
}

/** Errors in errors, at most so many deep: a cause may lead back to its error. */
const CAUSES = 5;

/** An error's own fields, such as its code, and its stack, which JSON would leave out. */
function errorFields(error: Error, depth = 0): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(error)) {
    try {
      fields[key] = Reflect.get(error, key);
    } catch {
      // A field that throws is left out.
    }
  }
  const inner = cause instanceof Error && depth < CAUSES ? { cause: errorFields(cause, depth + 1) } : {};
  return { ...fields, type: name, message, stack, ...inner };
}

/** The JSON of any value: parts that JSON cannot hold are told as text, because a line of the log must not throw. */
function safeJson(value: unknown): string {
  const above: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _key: string, one: unknown) {
    if (typeof one === "bigint") return String(one);
    if (typeof one !== "object" || one === null) return one;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(one)) return "[circular]";
    const shown = one instanceof Error ? errorFields(one) : one;
    above.push(one, shown);
    return shown;
  });
}

/** A line of the log as JSON. */
export function jsonLine({ level, time, fields, message }: LogLine): string {
  const { err } = fields;
  const shown = err instanceof Error ? { ...fields, err: errorFields(err) } : fields;
  const line = { level, time, ...shown, msg: message };
  for (const write of [JSON.stringify, safeJson]) {
    try {
      return `${write(line)}\n`;
    } catch {
      // The next way takes more.
    }
  }
  return `${JSON.stringify({ level, time, msg: message })}\n`;
}

function valueText(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? "undefined";
}

function stackOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { stack, message } = error as { stack?: unknown; message?: unknown };
  const text = typeof stack === "string" ? stack : String(message);
  return `\n${text.replace(/^/gm, "    ")}`;
}

/** A request's message and fields in short. Its id is for one that was refused: the client has it, too. */
function shortRequest(fields: Record<string, unknown>): { msg: unknown; fields: Record<string, unknown> } {
  const { method, path, status, ms, bytes: _bytes, request, ...others } = fields;
  const id = Number(status) < 400 || request === undefined ? {} : { request };
  return {
    msg: `${String(method)} ${valueText(path)} ${String(status)} ${String(ms)} ms`,
    fields: { ...others, ...id },
  };
}

/** A line of the JSON log as a person reads it: time, level, message, fields, and a stack below. */
export function readableLine(line: string, colour: boolean): string {
  const parsed = objectAs<Record<string, unknown>>(jsonIn(line));
  if (!parsed) return line;
  const { level, time, msg: said, err, ...all } = parsed;
  const { msg, fields } = said === "request" && "path" in all ? shortRequest(all) : { msg: said, fields: all };
  const name = isLevel(level) ? level : "info";
  const clock = new Date(typeof time === "number" ? time : Number.NaN);
  const at = Number.isNaN(clock.getTime()) ? "--:--:--" : clock.toISOString().slice(11, 23);
  const paint = (code: string, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const rest = Object.entries(fields).map(([key, value]) => ` ${paint("90", `${key}=`)}${valueText(value)}`);
  const label = paint(COLOUR[name], name.padEnd(WIDTH));
  return `${paint("90", at)} ${label} ${String(msg ?? "")}${rest.join("")}${err === undefined ? "" : stackOf(err)}\n`;
}
