import type { Limit } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, numberIn, present, textIn } from "../../../core/json/fields.ts";
import { hasFailed } from "../calls/hook.ts";
import type { Reading, Thread } from "./state.ts";

/** A window of a limit. Nothing is told of windows that the account does not have. */
function windowOf(limits: Fields, name: "primary" | "secondary", id: string): Limit[] {
  const window = limits[name];
  if (!isFields(window)) return [];
  const used = numberIn(window, "usedPercent");
  const resets = numberIn(window, "resetsAt");
  const full = used !== undefined && used >= 100;
  const facts = present({
    used,
    resets: resets === undefined ? undefined : resets * 1000,
    window: numberIn(window, "windowDurationMins"),
  });
  return [{ id: `${id}_${name}`, status: full ? "reached" : "allowed", ...facts }];
}

export function onRateLimits(reading: Reading, params: Fields): void {
  const told = fieldsIn(params, "rateLimits");
  const id = textIn(told, "limitId") ?? "account";
  const limits = [...windowOf(told, "primary", id), ...windowOf(told, "secondary", id)];
  if (limits.length > 0) reading.say({ type: "limits", limits }, {});
}

/** The user's own surroundings, said at each start: not worth a remark in each session. */
const USUAL = /could not find bubblewrap on PATH/;

export function onWarning(reading: Reading, params: Fields, thread: Thread): void {
  const text = textIn(params, "message") ?? textIn(params, "summary");
  if (text && !USUAL.test(text)) reading.say({ type: "note", level: "warn", text }, thread);
}

/** A server of tools that does not start is missed only when a tool of it is wanted. */
export function onServerStatus(reading: Reading, params: Fields, thread: Thread): void {
  if (params.status !== "failed") return;
  const name = textIn(params, "name") ?? "?";
  const why = textIn(params, "error") ?? "no reason was given";
  const text = `the MCP server ${name} could not be started: ${why}`;
  reading.say({ type: "note", level: "warn", code: "mcp_failed", text }, thread);
}

/** The program makes a call whose hook has failed. */
export function onHookCompleted(reading: Reading, params: Fields): void {
  if (hasFailed(fieldsIn(params, "run"))) reading.unguarded = true;
}
