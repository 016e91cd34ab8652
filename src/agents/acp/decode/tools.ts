import type { Failure } from "../../../core/events/values.ts";
import {
  type Fields,
  fieldsIn,
  isFields,
  jsonIn,
  listIn,
  numberIn,
  present,
  textIn,
} from "../../../core/json/fields.ts";
import type { ToolDone } from "../../../core/ledger/signals.ts";
import { diffsOf, locationsOf, shownContent, terminalsOf, textOf } from "./content.ts";
import { filesOf } from "./files.ts";
import { type Call, type DecodeState, OUTSIDE_TURN, type Say } from "./state.ts";
import { beginStep, closeTexts, sayAsked } from "./texts.ts";
import { toolName } from "./tool-names.ts";

/** Calls of earlier turns are remembered, for what comes late. */
const MOST_CALLS = 1_000;
/** Each open call costs something with every event, so that a flood of them would hold up all sessions. */
const MOST_OPEN = 256;
/** More of a terminal's output is told with the call's end alone: nothing bounds how much comes while signals are held back. */
const MOST_STREAMED = 256_000;
/** More of what stands beside a call's output is not kept: some programs repeat whole files there. */
const MOST_RAW = 65_536;

/** More of the output of a call outside of a turn is left out of its note. */
const MOST_NOTED = 16_000;
/** Streamed output is compared with the output that a call tells at its end, up to so many characters: an event has no more. */
const MOST_KEPT = 2 * 1024 * 1024;

const FIELDS = ["title", "name", "kind", "status", "rawInput", "rawOutput", "content", "locations"] as const;

function merged(told: Fields, update: Fields): Fields {
  const news = Object.fromEntries(FIELDS.flatMap((name) => (update[name] == null ? [] : [[name, update[name]]])));
  const meta = { ...fieldsIn(told, "_meta"), ...fieldsIn(update, "_meta") };
  return { ...told, ...news, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) };
}

function isOver(call: Fields): boolean {
  return call.status === "completed" || call.status === "failed" || call.status === "cancelled";
}

/** Whether a call is over, by its own word or with its turn. */
export function isPast(state: DecodeState, call: Call): boolean {
  return call.done || call.turn !== state.turn;
}

/** The call of an update. An id of a call that is over may be used once more, for another one. */
function callOf(state: DecodeState, id: string, update: Fields): Call {
  const known = state.calls.get(id);
  if (known && !(isPast(state, known) && update.sessionUpdate === "tool_call" && !isOver(update))) return known;
  const key = known ? `${state.prefix}:${id}:${++state.items}` : `${state.prefix}:${id}`;
  const fresh = { running: false, done: false, output: "", refused: false };
  const call: Call = { key, turn: state.turn, outside: state.place === "outside", told: {}, ...fresh };
  state.calls.delete(id);
  state.calls.set(id, call);
  for (const [old, { done, outside, turn }] of state.calls) {
    if (state.calls.size <= MOST_CALLS) break;
    if (done || outside || turn !== state.turn) state.calls.delete(old);
  }
  return call;
}

/** Of a call that is over, what it was is kept, and nothing that may be large. */
function settle(state: DecodeState, call: Call): void {
  const { title, name, kind } = call.told;
  Object.assign(call, { done: true, output: "", told: present({ title, name, kind }) });
  for (const [id, shows] of state.terminals) if (shows === call) state.terminals.delete(id);
}

/** Ends the oldest of too many open calls. */
function sayTooMany(state: DecodeState, say: Say): void {
  if (state.step.length < MOST_OPEN) return;
  state.step = state.step.filter(({ done }) => !done);
  const [oldest] = state.step;
  if (!oldest || state.step.length < MOST_OPEN) return;
  settle(state, oldest);
  const message = `more than ${MOST_OPEN} calls were open: it is not followed any longer`;
  say({ type: "tool.done", call: oldest.key, ok: false, error: { code: "interrupted", message } });
}

export function inputOf(call: Fields): Fields | undefined {
  const { rawInput } = call;
  const value = typeof rawInput === "string" ? (jsonIn(rawInput) ?? { input: rawInput }) : rawInput;
  return isFields(value) && Object.keys(value).length > 0 ? value : undefined;
}

function exitOf(call: Fields): { exitCode?: number } {
  const exit = fieldsIn(fieldsIn(call, "_meta"), "terminal_exit");
  const raw = fieldsIn(call, "rawOutput");
  const exitCode =
    numberIn(exit, "exit_code") ?? numberIn(raw, "exit_code") ?? numberIn(fieldsIn(raw, "metadata"), "exit");
  return present({ exitCode });
}

function metadataOf(call: Fields): { metadata?: Record<string, unknown> } {
  const locations = locationsOf(call);
  const metadata = {
    ...present({ kind: textIn(call, "kind") }),
    ...(locations.length > 0 ? { locations } : {}),
    ...exitOf(call),
  };
  return Object.keys(metadata).length > 0 ? { metadata } : {};
}

/** Output that the program tells beside a call, piece by piece. */
function streamedBy(update: Fields): string {
  const meta = fieldsIn(update, "_meta");
  const pieces = ["terminal_output_delta", "terminal_output", "mcp_output_delta"].map((name) => fieldsIn(meta, name));
  return pieces.map((piece) => textIn(piece, "data") ?? "").join("");
}

/** A running command's output so far is told as its content, again and again. */
function grownBy(call: Call, update: Fields): string {
  if (call.told.status !== "in_progress" || call.told.kind !== "execute") return "";
  const text = textOf(listIn(update, "content"));
  return text.startsWith(call.output) ? text.slice(call.output.length) : "";
}

/** A terminal of Parley's that the call shows from now on. */
function attach(state: DecodeState, call: Call, say: Say): void {
  for (const id of terminalsOf(listIn(call.told, "content"))) {
    const text = state.terminals.has(id) ? undefined : state.terminalText(id);
    if (text === undefined) continue;
    state.terminals.set(id, call);
    sayOutput(call, text, say);
  }
}

/** Output of a terminal of Parley's. */
export function onTerminal(state: DecodeState, id: string, delta: string, say: Say): void {
  const call = state.terminals.get(id);
  if (call && !call.done && call.output.length < MOST_STREAMED) sayOutput(call, delta, say);
}

function sayOutput(call: Call, delta: string, say: Say): void {
  if (delta === "") return;
  if (call.output.length < MOST_KEPT) call.output += delta;
  if (!call.outside) say({ type: "tool.output", call: call.key, delta });
}

/** The whole output of a call that is over; undefined where what was streamed is all of it. `last` is its last update. */
function outputOf(state: DecodeState, { told, output }: Call, last: Fields): string | undefined {
  const { rawOutput } = told;
  const raw = isFields(rawOutput) ? rawOutput : {};
  const content = listIn(told, "content");
  if (typeof rawOutput === "string") return rawOutput;
  const said = textIn(raw, "output") ?? textIn(raw, "formatted_output") ?? textIn(raw, "error");
  if (said !== undefined) return said;
  const shown = terminalsOf(content).flatMap((id) => state.terminalText(id) ?? []);
  if (shown.length > 0) return shown.join("");
  const text = textOf(content);
  if (output !== "" && (last.content == null || text === "")) return undefined;
  if (text !== "") return text;
  const { exit_code: _, ...rest } = raw;
  return Object.keys(rest).length > 0 ? JSON.stringify(rest) : undefined;
}

/** An exit code that only stands beside the output is told with it: the model knows it, too. */
function withExit({ told, output }: Call, text: string | undefined): string | undefined {
  const meta = fieldsIn(fieldsIn(told, "_meta"), "terminal_exit");
  const code = numberIn(meta, "exit_code") ?? numberIn(fieldsIn(told, "rawOutput"), "exit_code");
  const all = text ?? output;
  if (code === undefined || code === 0 || new RegExp(`exit code:? ${code}\\b`, "i").test(all)) return text;
  return `${all}${all === "" || all.endsWith("\n") ? "" : "\n"}(exit code ${code})`;
}

function failureOf({ told, refused }: Call, output: string | undefined): Failure {
  if (refused) return { code: "rejected", message: output || "it was refused" };
  if (told.status === "cancelled") return { code: "interrupted", message: output || "it was cancelled" };
  return { code: "tool_failed", message: output || "the tool failed" };
}

/** Facts that the program tells beside the output, as they are. */
function rawOutputOf({ told }: Call, output: string | undefined): { rawOutput?: Fields } {
  if (!isFields(told.rawOutput)) return {};
  const { output: own, ...others } = told.rawOutput;
  const rest = own === output ? others : told.rawOutput;
  const isKept = Object.keys(rest).length > 0 && JSON.stringify(rest).length <= MOST_RAW;
  return isKept ? { rawOutput: rest } : {};
}

function doneOf(state: DecodeState, call: Call, last: Fields): Omit<ToolDone, "type" | "call"> {
  const { told } = call;
  const ok = told.status === "completed";
  const content = listIn(told, "content");
  const whole = outputOf(state, call, last);
  const output = withExit(call, whole);
  const { metadata } = metadataOf(told);
  const facts = { ...metadata, ...rawOutputOf(call, whole) };
  const files = ok ? filesOf(diffsOf(content), state.directory, state.readFile) : [];
  return {
    ok,
    ...present({ output, content: shownContent(content, output), title: textIn(told, "title") }),
    ...(ok ? {} : { error: failureOf(call, output ?? call.output) }),
    ...(files.length > 0 ? { files } : {}),
    ...(Object.keys(facts).length > 0 ? { metadata: facts } : {}),
  };
}

function saySeen(state: DecodeState, call: Call, say: Say): void {
  const { told, key } = call;
  const isNew = call.name === undefined;
  if (isNew) {
    closeTexts(state, say);
    beginStep(state, say);
    sayTooMany(state, say);
    state.step.push(call);
  }
  call.name ??= toolName(told);
  const parent = textIn(fieldsIn(fieldsIn(told, "_meta"), "claudeCode"), "parentToolUseId");
  const parentCall = parent === undefined ? undefined : state.calls.get(parent)?.key;
  const starts = told.status === "in_progress" || call.output !== "";
  call.running ||= starts;
  say({
    type: call.running ? "tool.running" : "tool.seen",
    call: key,
    name: call.name,
    ...present({ title: textIn(told, "title"), input: inputOf(told), parentCall }),
    ...metadataOf(told),
  });
}

/** A call, or news of one, in any order: the first word of it begins it. */
export function onToolCall(state: DecodeState, update: Fields, say: Say): void {
  const id = textIn(update, "toolCallId");
  if (id === undefined || state.place === "left_out") return;
  sayAsked(state, say);
  const call = callOf(state, id, update);
  if (call.done) return;
  call.told = merged(call.told, update);
  if (!call.outside) saySeen(state, call, say);
  sayOutput(call, streamedBy(update) || grownBy(call, update), say);
  attach(state, call, say);
  if (!isOver(call.told)) return;
  const done = doneOf(state, call, update);
  settle(state, call);
  if (call.outside) sayOutsideCall(call, done, say);
  else say({ type: "tool.done", call: call.key, ...done });
}

/** A call outside of a turn has no place among the calls of one. */
function sayOutsideCall(call: Call, { ok, output = call.output }: Pick<ToolDone, "ok" | "output">, say: Say): void {
  const title = textIn(call.told, "title") ?? toolName(call.told);
  const words = `${title}: ${ok ? "completed" : "failed"}\n${output.slice(0, MOST_NOTED)}`;
  say({ type: "note", level: "info", text: words.trim(), code: OUTSIDE_TURN });
}

/** Calls that were refused are over with their turn: some programs say nothing more of them. */
export function sayRefused(state: DecodeState, say: Say): void {
  for (const call of state.calls.values()) {
    if (call.done || call.outside || !call.refused) continue;
    const error = failureOf(call, undefined);
    settle(state, call);
    say({ type: "tool.done", call: call.key, ok: false, error });
  }
}
