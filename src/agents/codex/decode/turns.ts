import type { EndReason, Failure } from "../../../core/events/values.ts";
import { type Fields, fieldsIn, isFields, present, textIn } from "../../../core/json/fields.ts";
import { onChildTurnOver, openSpawns } from "./children.ts";
import { failureOf } from "./failures.ts";
import type { Item, Reading, Thread, Turn } from "./state.ts";
import { inStep } from "./steps.ts";
import { retractTexts } from "./texts.ts";
import { turnUsage } from "./usage.ts";

export function newTurn(id: string, { tokens }: Pick<Thread, "tokens">): Turn {
  const empty = { items: new Map(), refused: new Set<string>() };
  return { id, ...empty, steps: 0, open: false, calls: false, before: tokens, lastWord: false };
}

/** The thread's id is told with its first turn: the program does not keep a thread that had none. */
export function onTurnStarted(reading: Reading, params: Fields, thread: Thread): void {
  const id = textIn(fieldsIn(params, "turn"), "id");
  if (id === undefined || thread.turn?.id === id) return;
  // A thread has one turn at a time: the end of the one before was not heard.
  if (thread.turn) onTurnCompleted(reading, { turn: { id: thread.turn.id, status: "interrupted" } }, thread);
  const idle = reading.thread(thread.id);
  reading.setThread({ ...idle, turn: newTurn(id, idle) });
  if (!thread.child && !reading.state.named) {
    reading.patch({ named: true });
    reading.say({ type: "session", nativeId: thread.id }, thread);
  }
  reading.say({ type: "turn.begun", turn: id }, thread);
}

/** How a turn ended. `lastWord`: a person refused something to end it. */
export function endOf(turn: Fields, lastWord: boolean): { reason: EndReason; error?: Failure } {
  const { error } = turn;
  if (turn.status === "completed") return { reason: "end_turn" };
  // A refusal that was to end the turn ends it as the person wanted.
  if (turn.status === "interrupted" && !isFields(error)) return { reason: lastWord ? "end_turn" : "cancelled" };
  return { reason: "error", error: failureOf(isFields(error) ? error : {}) };
}

/** The turn is over, and with it all that the program does not go on with. */
export function onTurnCompleted(reading: Reading, params: Fields, thread: Thread): void {
  const told = fieldsIn(params, "turn");
  const id = textIn(told, "id");
  const { turn } = thread;
  if (id === undefined || turn?.id !== id) return;
  for (const item of turn.items.values()) settle(reading, thread, item, told.status === "completed");
  for (const call of openSpawns(reading.state, thread)) reading.say({ type: "tool.backgrounded", call }, thread);
  const end = { ...endOf(told, turn.lastWord), usage: turnUsage(thread), point: id };
  reading.say({ type: "turn.finished", turn: id, ...end }, thread);
  const { turn: _, stopped: __, ...rest } = reading.thread(thread.id);
  const after = told.status === "interrupted" ? { ...rest, stopped: id } : rest;
  reading.setThread(after);
  onChildTurnOver(reading, after, told);
}

const REFUSED: Failure = { code: "rejected", message: "it was refused" };
const INTERRUPTED: Failure = { code: "interrupted", message: "interrupted: the turn ended before it was begun" };

/** Commands that run when the turn ends by itself go on. Of a turn that was stopped they are ended, and the program says so in a moment. */
function settle(reading: Reading, thread: Thread, item: Item, completed: boolean): void {
  if (item.over) return;
  const refused = thread.turn?.refused.has(item.key) ?? false;
  const call = item.key;
  if (item.type === "commandExecution" && !refused) {
    if (completed) reading.say({ type: "tool.backgrounded", call }, thread);
  } else if (item.type === "commandExecution" || item.type === "fileChange") {
    reading.say({ type: "tool.done", call, ok: false, error: refused ? REFUSED : INTERRUPTED }, thread);
  }
}

const COUNTED = /(\d+)\s*\/\s*\d+/;

/** An error that the program tries to overcome, or one that the end of the turn will tell once more. */
export function onError(reading: Reading, params: Fields, thread: Thread): void {
  const error = fieldsIn(params, "error");
  const failure = failureOf(error);
  if (params.willRetry !== true) return reading.say({ type: "error", error: failure }, thread);
  retractTexts(reading, thread);
  const words = textIn(error, "message") ?? "";
  const attempt = Number(COUNTED.exec(words)?.[1] ?? 1);
  const message = textIn(error, "additionalDetails") || failure.message;
  reading.say({ type: "status", status: "retrying", attempt, message, next: reading.now }, thread);
}

const PLAN_STATUS: ReadonlyMap<unknown, "pending" | "in_progress" | "completed"> = new Map([
  ["inProgress", "in_progress"],
  ["completed", "completed"],
]);

export function onPlan(reading: Reading, params: Fields, thread: Thread): void {
  const { plan } = params;
  if (!thread.turn || !Array.isArray(plan)) return;
  // The call that made it has no item.
  inStep(reading, thread, true);
  const entries = plan.filter(isFields).map((entry) => ({
    text: textIn(entry, "step") ?? "",
    status: PLAN_STATUS.get(entry.status) ?? "pending",
  }));
  reading.say({ type: "plan", entries }, thread);
}

/** Facts of the thread: its name, its model, its effort. */
export function onSettings(reading: Reading, params: Fields, thread: Thread): void {
  const settings = fieldsIn(params, "threadSettings");
  const effort = textIn(settings, "effort");
  const options = effort === undefined ? {} : { options: { effort } };
  reading.say({ type: "session", ...present({ model: textIn(settings, "model") }), ...options }, thread);
}

export function onName(reading: Reading, params: Fields, thread: Thread): void {
  const title = textIn(params, "threadName");
  if (title) reading.say({ type: "session", title }, thread);
}

/** The service has another model answer. */
export function onRerouted(reading: Reading, params: Fields, thread: Thread): void {
  const [from, to] = [textIn(params, "fromModel"), textIn(params, "toModel")];
  const text = `Codex uses the model ${to ?? "another one"} instead of ${from ?? "the chosen one"}`;
  reading.say({ type: "note", level: "warn", code: "model_rerouted", text }, thread);
}
