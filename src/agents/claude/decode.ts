import type { Limit } from "../../core/events/values.ts";
import { type Fields, fieldsIn, numberIn, present, textIn } from "../../core/json/fields.ts";
import { type LineNoise, lineFields } from "../program/line-fields.ts";
import type { Said } from "../program/read-lines.ts";
import { onAssistant } from "./decode/assistant.ts";
import type { Foreign } from "./decode/hooks.ts";
import { onLifecycle, onReset } from "./decode/lifecycle.ts";
import { onControlCancel, onControlRequest } from "./decode/requests.ts";
import { isResumeLost, onResult } from "./decode/result.ts";
import { type DecodeState, Reading } from "./decode/state.ts";
import { onStreamEvent } from "./decode/stream.ts";
import { onSystem } from "./decode/system.ts";
import { onUser } from "./decode/user.ts";

export type NoiseReason = LineNoise | "unknown_type";

/** The program's answer to something that Parley asked of it. */
export interface Response {
  id: string;
  ok: boolean;
  body: Fields;
  error?: string;
}

export interface Decoded {
  state: DecodeState;
  said: Said[];
  noise?: NoiseReason;
  response?: Response;
  /** A request that Parley answers at once: it does not do such things, or they need no verdict. */
  foreign?: Foreign;
  /** It does not know the session that it was to resume. */
  lost?: boolean;
}

/** Lines that keep a connection open, or are for the program's own window. */
const SILENT: ReadonlySet<string> = new Set([
  "keep_alive",
  "tool_progress",
  "tool_use_summary",
  "auth_status",
  "prompt_suggestion",
]);
const SEEN_KEPT = 256;

/** Reads one line of the program's output. It changes nothing but through what it returns. */
export function decodeLine(state: DecodeState, text: string, now: number): Decoded {
  const read = lineFields(text);
  return "fields" in read ? decodeFields(state, read.fields, now) : { state, said: [], ...read };
}

function decodeFields(state: DecodeState, line: Fields, now: number): Decoded {
  const type = textIn(line, "type") ?? "";
  const reading = new Reading(state, now);
  if (type === "stream_event") {
    onStreamEvent(reading, line);
    return done(reading);
  }
  if (repeats(reading, type, line)) return { state, said: [] };
  switch (type) {
    case "assistant":
      onAssistant(reading, line);
      return done(reading);
    case "user":
      onUser(reading, line);
      return done(reading);
    case "system":
      return onSystem(reading, line) ? done(reading) : { ...done(reading), noise: "unknown_type" };
    case "result":
      if (isResumeLost(line)) return { ...done(reading), lost: true };
      onResult(reading, line);
      return done(reading);
    case "control_request": {
      const foreign = onControlRequest(reading, line);
      return { ...done(reading), ...(foreign ? { foreign } : {}) };
    }
    case "control_cancel_request":
      onControlCancel(reading, line);
      return done(reading);
    case "control_response":
      return { ...done(reading), response: responseOf(line) };
    case "command_lifecycle":
      onLifecycle(reading, line);
      return done(reading);
    case "conversation_reset":
      onReset(reading);
      return done(reading);
    case "rate_limit_event":
      onRateLimit(reading, line);
      return done(reading);
    default:
      return SILENT.has(type) ? done(reading) : { ...done(reading), noise: "unknown_type" };
  }
}

function done({ state, said }: Reading): Decoded {
  return { state, said };
}

/** A line that was read already: each has an id of its own, but for echoes of the user's, which have the user's. */
function repeats(reading: Reading, type: string, line: Fields): boolean {
  const uuid = textIn(line, "uuid");
  if (uuid === undefined) return false;
  const key = `${type}:${uuid}`;
  const { seen } = reading.state;
  if (seen.includes(key)) return true;
  reading.patch({ seen: [...seen, key].slice(-SEEN_KEPT) });
  return false;
}

function responseOf(line: Fields): Response {
  const response = fieldsIn(line, "response");
  const id = textIn(response, "request_id") ?? "";
  const body = fieldsIn(response, "response");
  return present({ id, ok: response.subtype === "success", body, error: textIn(response, "error") });
}

const LIMIT_STATUS = { allowed: "allowed", allowed_warning: "warning", rejected: "reached" } as const;

/** Tells each limit as a fact; only one that is near or reached is worth a note in the turn, too. */
function onRateLimit(reading: Reading, line: Fields): void {
  const info = fieldsIn(line, "rate_limit_info");
  const status = textIn(info, "status");
  const used = numberIn(info, "utilization");
  const resets = numberIn(info, "resetsAt");
  const facts = present({
    status: LIMIT_STATUS[status as keyof typeof LIMIT_STATUS] as Limit["status"],
    used: used === undefined ? undefined : Math.round(used * 100),
    resets: resets === undefined ? undefined : resets * 1000,
  });
  reading.say({ type: "limits", limits: [{ id: textIn(info, "rateLimitType") ?? "account", ...facts }] });
  if (status === undefined || status === "allowed") return;
  const text = `the account's rate limit: ${status}`;
  reading.say({ type: "note", level: "warn", code: "rate_limit", text });
}
