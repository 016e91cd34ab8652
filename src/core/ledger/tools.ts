import { boundedFiles } from "../diff/bounded-diff.ts";
import { addTotals } from "../diff/file-totals.ts";
import { withEntry } from "../entries.ts";
import type { ToolCallItem, ToolResultItem } from "../events/items.ts";
import type { Failure, FileChange } from "../events/values.ts";
import { present } from "../json/fields.ts";
import { bounded, grow, leftOutWords } from "./bounds.ts";
import type { Frame } from "./frame.ts";
import type { ToolDone, ToolSeen } from "./signals.ts";
import { callKey, findPast, type OpenCall } from "./state.ts";
import { currentStep, noteActivity, openAgentTurn } from "./turn.ts";

function setCall(frame: Frame, call: string, open: OpenCall | undefined): void {
  const { turn } = frame.state;
  if (turn) frame.patchTurn({ calls: withEntry(turn.calls, call, open) });
}

function callItem(call: string, open: OpenCall, status: ToolCallItem["status"], error?: Failure): ToolCallItem {
  const { id, step, parentCall, title, input, metadata, child } = open;
  const known = present({ step, parentCall, title, input, metadata, child, error });
  return { id, kind: "tool_call", call, name: open.name ?? "unknown", status, ...known };
}

function sayInput(frame: Frame, { id }: OpenCall, delta: string): void {
  frame.say("item.delta", { item: id, kind: "tool_call", field: "input", delta });
}

function sayOutput(frame: Frame, { id }: { id: string }, change: { delta: string } | { replace: string }): void {
  frame.say("item.delta", { item: id, kind: "tool_result", field: "text", ...change });
}

/** Makes a note of the session from a late signal about a call of an ended turn. Returns whether it was one. */
function lateCall(frame: Frame, call: string, text: string | undefined, done: boolean): boolean {
  const about = frame.state.background.get(call);
  if (about !== undefined) {
    frame.sayOfSession("session.note", { call, about, text: text ?? "", ...(done ? { done } : {}) });
    if (done) frame.patch({ background: withEntry(frame.state.background, call, undefined) });
    return true;
  }
  return findPast(frame.state, callKey(call)) !== undefined;
}

/** Whether a signal about this call belongs to the open turn. The signal may open one. */
function admits(frame: Frame, call: string, opens: boolean): boolean {
  const { turn } = frame.state;
  if (turn?.calls.has(call)) return true;
  if (turn?.done.has(callKey(call)) || frame.state.background.has(call) || findPast(frame.state, callKey(call)))
    return false;
  if (!turn && opens) openAgentTurn(frame);
  return turn !== null || opens;
}

export function onToolSeen(frame: Frame, signal: ToolSeen): void {
  if (!admits(frame, signal.call, signal.name !== undefined)) return;
  const known = frame.state.turn?.calls.get(signal.call) ?? newCall(frame, signal.parentCall);
  const starts = signal.name !== undefined && known.name === undefined;
  let open = starts ? startCall(frame, signal, known) : updateCall(frame, signal, known);
  setCall(frame, signal.call, open);
  if (open.name === undefined) return;
  if (signal.type === "tool.running" || open.heldOutput !== "" || open.heldDone)
    open = runCall(frame, signal.call, open);
  releaseHeld(frame, signal.call, open);
}

function newCall(frame: Frame, parentCall: string | undefined): OpenCall {
  return { id: frame.context.id("item"), status: "pending", inputText: "", heldOutput: "", ...present({ parentCall }) };
}

function startCall(frame: Frame, signal: ToolSeen, held: OpenCall): OpenCall {
  const { name, title, input, metadata, child } = signal;
  const inputText = grow({ text: held.inputText }, signal.inputDelta ?? "").after.text;
  const news = present({ name, title, input, metadata, child });
  const open: OpenCall = { ...held, ...news, inputText, step: currentStep(frame) };
  noteActivity(frame);
  frame.say("item.started", { item: callItem(signal.call, open, "pending") });
  if (inputText !== "") sayInput(frame, open, inputText);
  return open;
}

/** Takes in news of a call; says them only where they differ and the call has started. */
function updateCall(frame: Frame, signal: ToolSeen, open: OpenCall): OpenCall {
  const { title, input, metadata, child } = signal;
  const news = Object.entries(present({ title, input, metadata, child })).filter(
    ([field, value]) =>
      JSON.stringify(value) !== JSON.stringify(open[field as "title" | "input" | "metadata" | "child"]),
  );
  const { after, delta } = grow({ text: open.inputText }, signal.inputDelta ?? "");
  const next: OpenCall = { ...open, ...Object.fromEntries(news), inputText: after.text };
  if (open.name === undefined) return next;
  if (delta !== "") sayInput(frame, open, delta);
  const starts = signal.type === "tool.running" && open.status === "pending";
  if (news.length > 0 && !starts) frame.say("item.updated", { item: open.id, ...Object.fromEntries(news) });
  return next;
}

function runCall(frame: Frame, call: string, open: OpenCall): OpenCall {
  if (open.status === "running") return open;
  const running: OpenCall = { ...open, status: "running" };
  setCall(frame, call, running);
  noteActivity(frame);
  const { title, input, metadata, child } = running;
  frame.say("item.updated", { item: open.id, status: "running", ...present({ title, input, metadata, child }) });
  return running;
}

/** Holds back output and an end that came before the call itself. */
function releaseHeld(frame: Frame, call: string, open: OpenCall): void {
  const { heldOutput, heldDone } = open;
  if (heldOutput === "" && !heldDone) return;
  const { heldDone: _, heldLeft, ...rest } = open;
  const free: OpenCall = { ...rest, heldOutput: "" };
  setCall(frame, call, free);
  if (heldOutput !== "") addOutput(frame, call, free, heldOutput, heldLeft);
  if (heldDone) settle(frame, heldDone);
}

function holdOutput(frame: Frame, call: string, open: OpenCall, delta: string): void {
  const { text, left } = grow({ text: open.heldOutput, ...present({ left: open.heldLeft }) }, delta).after;
  setCall(frame, call, { ...open, heldOutput: text, ...present({ heldLeft: left }) });
}

export function onToolOutput(frame: Frame, signal: { call: string; delta: string }): void {
  const { call, delta } = signal;
  if (delta === "") return;
  if (!frame.state.turn?.calls.has(call) && lateCall(frame, call, delta, false)) return;
  if (!admits(frame, call, false)) {
    if (!frame.state.turn) frame.sayOfSession("session.note", { call, text: delta });
    return;
  }
  const open = frame.state.turn?.calls.get(call) ?? newCall(frame, undefined);
  if (open.name === undefined) holdOutput(frame, call, open, delta);
  else addOutput(frame, call, runCall(frame, call, open), delta);
}

function resultItem(call: string, open: OpenCall, id: string, status: ToolResultItem["status"]): ToolResultItem {
  const { step, parentCall } = open;
  return { id, kind: "tool_result", call, status, ...present({ step, parentCall }) };
}

function addOutput(frame: Frame, call: string, open: OpenCall, output: string, left?: number): OpenCall {
  const result = open.result ?? { id: frame.context.id("item"), text: "", ...present({ left }) };
  const { after, delta } = grow(result, output);
  if (!open.result) frame.say("item.started", { item: resultItem(call, open, result.id, "running") });
  if (delta !== "") sayOutput(frame, result, { delta });
  const next: OpenCall = { ...open, result: after };
  setCall(frame, call, next);
  return next;
}

export function onToolDone(frame: Frame, signal: ToolDone): void {
  const { call } = signal;
  if (!frame.state.turn?.calls.has(call) && lateCall(frame, call, signal.output, true)) return;
  if (!admits(frame, call, false)) {
    if (!frame.state.turn && signal.output)
      frame.sayOfSession("session.note", { call, text: signal.output, done: true });
    return;
  }
  const open = frame.state.turn?.calls.get(call) ?? newCall(frame, undefined);
  if (open.name === undefined) setCall(frame, call, { ...open, heldDone: open.heldDone ?? signal });
  else settle(frame, signal);
}

function boundFiles(frame: Frame, said: readonly FileChange[]): FileChange[] {
  const { files, used } = boundedFiles(said, frame.state.turn?.diffs ?? 0);
  frame.patchTurn({ diffs: used });
  return files;
}

/** Ends a call. A turn that waited for it may end now. */
function settle(frame: Frame, said: ToolDone): void {
  const { call } = said;
  const known = frame.state.turn?.calls.get(call);
  if (!known) return;
  const signal = said.files ? { ...said, files: boundFiles(frame, said.files) } : said;
  const { title, metadata } = signal;
  // A call that was refused never ran.
  const last = signal.ok ? runCall(frame, call, known) : known;
  let open: OpenCall = { ...last, ...present({ title, metadata }) };
  if (signal.ok || open.result || signal.output || signal.content || signal.files) {
    open = addOutput(frame, call, open, "");
    completeResult(frame, call, open, signal);
  }
  if (signal.files?.length) frame.patchTurn({ files: addTotals(frame.state.turn?.files, signal.files) });
  const failed: Failure = signal.error ?? { code: "tool_failed", message: signal.output || "the tool failed" };
  const item = signal.ok ? callItem(call, open, "completed") : callItem(call, open, "failed", failed);
  frame.say("item.completed", { item });
  forgetCall(frame, call);
}

function completeResult(frame: Frame, call: string, open: OpenCall, done: Partial<ToolDone>, interrupted = false) {
  const { result } = open;
  if (!result) return;
  const text = done.output === undefined ? result.text + leftOutWords(result.left) : bounded(done.output);
  if (text !== result.text) {
    const change = text.startsWith(result.text) ? { delta: text.slice(result.text.length) } : { replace: text };
    sayOutput(frame, result, change);
  }
  const status = interrupted ? "interrupted" : done.ok === false ? "failed" : "completed";
  const { content, files } = done;
  const item = { ...resultItem(call, open, result.id, status), text, ...present({ content, files }) };
  frame.say("item.completed", { item });
}

function forgetCall(frame: Frame, call: string): void {
  const { turn } = frame.state;
  if (!turn) return;
  frame.patchTurn({ calls: withEntry(turn.calls, call, undefined), done: turn.done.with(callKey(call)) });
}

/** The call goes on in the background, after its turn. */
export function onToolBackgrounded(frame: Frame, signal: { call: string }): void {
  const { turn } = frame.state;
  const open = turn?.calls.get(signal.call);
  if (!turn || !open || open.name === undefined) return;
  const running = runCall(frame, signal.call, open);
  completeResult(frame, signal.call, running, { ok: true });
  frame.say("item.completed", { item: { ...callItem(signal.call, running, "completed"), background: true } });
  forgetCall(frame, signal.call);
  frame.patch({ background: withEntry(frame.state.background, signal.call, turn.id) });
}

/** Settles all open calls at the turn's end: with the end that was held back, or as interrupted. */
export function closeCalls(frame: Frame, muteLate: boolean): void {
  for (const [call, open] of frame.state.turn?.calls ?? []) {
    if (open.name === undefined && open.heldOutput === "" && !open.heldDone && open.inputText === "") {
      forgetCall(frame, call);
      continue;
    }
    const shown = open.name === undefined ? startCall(frame, { type: "tool.seen", call, name: "unknown" }, open) : open;
    setCall(frame, call, shown);
    releaseHeld(frame, call, shown.heldOutput !== "" || shown.heldDone ? runCall(frame, call, shown) : shown);
    const left = frame.state.turn?.calls.get(call);
    if (left) interrupt(frame, call, left, muteLate);
  }
}

function interrupt(frame: Frame, call: string, open: OpenCall, muteLate: boolean): void {
  completeResult(frame, call, open, {}, true);
  const error = { code: "interrupted", message: "interrupted: the turn ended before the tool did" };
  frame.say("item.completed", { item: callItem(call, open, "failed", error) }, "parley");
  const { turn } = frame.state;
  if (turn && !muteLate) frame.patch({ background: withEntry(frame.state.background, call, turn.id) });
  forgetCall(frame, call);
}
