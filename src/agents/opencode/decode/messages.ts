import { type Fields, fieldsIn, isFields, listIn, present, textIn } from "../../../core/json/fields.ts";
import { adoptFrom } from "./branches.ts";
import type { Desk } from "./desk.ts";
import { failureOf, isAbort } from "./failures.ts";
import { type Branch, type Message, newMessage, newPart, type Part, type Turn } from "./state.ts";
import { deltaSignals, retype, settleText, textSignals } from "./texts.ts";
import { toolSignals } from "./tools.ts";
import { usageOf } from "./usage.ts";

/** Events that are kept for a message whose role is being fetched. More than these are left to the answer itself. */
const MOST_HELD = 5_000;
const TEXTS: ReadonlySet<string> = new Set(["text", "reasoning"]);

type Handler = (desk: Desk, branch: Branch, properties: Fields) => void;

const HANDLERS: Readonly<Record<string, Handler>> = {
  "message.updated": onMessage,
  "message.part.updated": onPart,
  "message.part.delta": onDelta,
};

/** An event about a message or a part of one. */
export function onContent(desk: Desk, branch: Branch, event: Fields): void {
  HANDLERS[textIn(event, "type") ?? ""]?.(desk, branch, fieldsIn(event, "properties"));
}

/** Whether a message is of an earlier turn. Those of Parley may sort before it: the clock of another machine may be late. */
function isPast({ floor, turn }: Branch, id: string): boolean {
  return id <= floor && !turn?.prompts.has(id);
}

function messageOf(branch: Branch, id: string): Message {
  const known = branch.messages.get(id);
  if (known) return known;
  const fresh = newMessage(id);
  branch.messages.set(id, fresh);
  return fresh;
}

function hold(message: Message, type: string, properties: Fields): void {
  if (message.held.length < MOST_HELD) message.held.push({ type, properties });
  else message.gap = true;
}

function fetch(desk: Desk, branch: Branch, message: Message): void {
  if (message.asked) return;
  message.asked = true;
  message.followed = isFollowed(branch, message.id);
  desk.want({ type: "message", session: branch.id, message: message.id });
}

/** Whether the agent has begun a later message. */
function isFollowed(branch: Branch, id: string): boolean {
  return [...branch.messages.values()].some((one) => one.id > id && one.role === "assistant");
}

/** The message before this one that is not over. The program writes one message of an agent at a time: the end of that one was missed. */
function unfinished(branch: Branch, message: Message): Message | undefined {
  if (message.role !== "assistant" || message.begun) return undefined;
  const isOpen = (one: Message): boolean => one.role === "assistant" && one.begun && !one.over && one.id < message.id;
  return [...branch.messages.values()].find(isOpen);
}

/** Whether an event about the message can be told now. Otherwise it waits for its role, or for the end of the message before it. */
function isTellable(desk: Desk, branch: Branch, message: Message, type: string, properties: Fields): boolean {
  if (message.role === undefined && message.missed) {
    message.gap = true;
    return false;
  }
  const before = unfinished(branch, message);
  if (message.role !== undefined && !before) return true;
  hold(message, type, properties);
  fetch(desk, branch, before ?? message);
  return false;
}

function roleIn(info: Fields): Message["role"] {
  return info.role === "user" || info.role === "assistant" ? info.role : undefined;
}

function onMessage(desk: Desk, branch: Branch, properties: Fields): void {
  const info = fieldsIn(properties, "info");
  const id = textIn(info, "id");
  if (id === undefined || isPast(branch, id) || !desk.turnOf(branch, id)) return;
  const message = messageOf(branch, id);
  const isNews = message.role === undefined && roleIn(info) !== undefined;
  learnInfo(message, info);
  if (message.role === undefined) return;
  // Its content was dropped while nobody knew its role.
  if (isNews && message.missed) fetch(desk, branch, message);
  message.missed = false;
  if (message.role === "user") return onUserMessage(desk, branch, message);
  if (!isTellable(desk, branch, message, "message.updated", properties)) return;
  beginStep(desk, branch, message);
  if (isNews) release(desk, branch, message);
  noteError(branch, info);
  // An event that was held back is not as new as what is known of the message by now.
  if (isCompletedIn(info)) complete(desk, branch, message);
}

/** A state that came late does not undo the end of a message. */
function learnInfo(message: Message, info: Fields): void {
  message.role = roleIn(info) ?? message.role;
  if (!isCompletedIn(message.info) || isCompletedIn(info)) message.info = info;
}

function isCompletedIn(info: Fields): boolean {
  return typeof fieldsIn(info, "time").completed === "number";
}

/** The facts that the program has chosen for the turn. */
function onUserMessage(desk: Desk, branch: Branch, message: Message): void {
  const isNew = !message.begun;
  message.begun = true;
  const { info } = message;
  const model = fieldsIn(info, "model");
  const [provider, name] = [textIn(model, "providerID"), textIn(model, "modelID")];
  const chosen = provider === undefined || name === undefined ? undefined : `${provider}/${name}`;
  if (isNew && branch.parent !== undefined && chosen !== undefined)
    desk.tell(branch, { type: "session", model: chosen });
  release(desk, branch, message);
  if (!isNew || branch.parent !== undefined) return;
  const effort = textIn(model, "variant") ?? textIn(info, "variant") ?? "default";
  const facts = present({ model: chosen, mode: textIn(info, "agent") });
  desk.tell(branch, { type: "session", ...facts, ...(chosen === undefined ? {} : { options: { effort } }) });
}

function beginStep(desk: Desk, branch: Branch, message: Message): void {
  if (message.begun) return;
  message.begun = true;
  const summary = message.info.summary === true;
  if (branch.turn) goOn(desk, branch, branch.turn, summary);
  desk.tell(branch, { type: "step.begun", step: message.id, ...(summary ? { summary } : {}) });
  if (summary) desk.tell(branch, { type: "status", status: "compacting" });
}

/** The turn goes on after an error, such as that of a context which is full. */
function goOn(desk: Desk, branch: Branch, turn: Turn, isSummary: boolean): void {
  const { failure } = turn;
  if (failure) desk.tell(branch, { type: "note", level: "warn", code: failure.code, text: failure.message });
  delete turn.failure;
  turn.worked = true;
  if (!isSummary) turn.compacted = false;
}

function noteError(branch: Branch, info: Fields): void {
  const { error } = info;
  if (!isFields(error) || !branch.turn) return;
  if (isAbort(error)) branch.turn.aborted = true;
  else noteFailure(branch, error);
}

/** An error is told once, with the end of the turn, however often the program says it. */
export function noteFailure(branch: Branch, error: Fields): void {
  const failure = failureOf(error);
  if (!branch.turn || branch.turn.failure) return;
  branch.turn.failure = failure;
  branch.lastFailure = failure.message;
}

function onPart(desk: Desk, branch: Branch, properties: Fields): void {
  const told = fieldsIn(properties, "part");
  const id = textIn(told, "messageID");
  if (id === undefined || isPast(branch, id) || !desk.turnOf(branch, id)) return;
  const message = messageOf(branch, id);
  if (isTellable(desk, branch, message, "message.part.updated", properties)) tellPart(desk, branch, message, told);
}

function onDelta(desk: Desk, branch: Branch, properties: Fields): void {
  const [id, partId] = [textIn(properties, "messageID"), textIn(properties, "partID")];
  if (id === undefined || partId === undefined || isPast(branch, id) || properties.field !== "text") return;
  if (!desk.turnOf(branch, id)) return;
  const message = messageOf(branch, id);
  if (!isTellable(desk, branch, message, "message.part.delta", properties) || message.role === "user") return;
  beginStep(desk, branch, message);
  const part = partOf(message, partId, "text");
  if (TEXTS.has(part.type)) desk.tell(branch, ...deltaSignals(part, textIn(properties, "delta") ?? ""));
}

function partOf(message: Message, id: string, type: string): Part {
  const known = message.parts.get(id);
  if (known) return known;
  const fresh = newPart(id, type, message.gap);
  message.parts.set(id, fresh);
  return fresh;
}

function tellPart(desk: Desk, branch: Branch, message: Message, told: Fields): void {
  const [id, type] = [textIn(told, "id"), textIn(told, "type")];
  if (id === undefined || type === undefined) return;
  if (message.role === "user") return tellForeign(desk, branch, message, told);
  beginStep(desk, branch, message);
  const part = partOf(message, id, type);
  if (TEXTS.has(type)) desk.tell(branch, ...retype(part, type), ...textSignals(part, told));
  else if (type === "tool") {
    part.type = type;
    desk.tell(branch, ...toolSignals(part, told, desk.tree.directory, branch.turn?.refusedCalls));
    adoptFrom(desk, branch, part, told);
  } else part.type = type;
}

/** Words of a user that Parley did not send: another client's, or the task of a sub-agent. */
function tellForeign(desk: Desk, branch: Branch, message: Message, told: Fields): void {
  const { turn } = branch;
  if (turn && told.type === "compaction") turn.compacted = true;
  if (!turn || turn.prompts.has(message.id) || turn.compacted || told.type !== "text") return;
  if (told.synthetic === true || told.ignored === true) return;
  const [item = "", text = ""] = [textIn(told, "id"), textIn(told, "text")];
  desk.tell(branch, { type: "text.done", item, kind: "message", role: "user", text });
}

/** Tells the events that waited for the message. */
function release(desk: Desk, branch: Branch, message: Message): void {
  const { held } = message;
  message.held = [];
  for (const event of held) onContent(desk, branch, event);
}

/** Ends the step of a message. What it left open is fetched first, and all of it where the mark of its end did not come before: events may overtake each other. */
function complete(desk: Desk, branch: Branch, message: Message): void {
  if (message.over) return;
  const parts = [...message.parts.values()];
  const isOpen = parts.some((part) => !part.over && (TEXTS.has(part.type) || part.type === "tool"));
  const isWhole = parts.some(({ type }) => type === "step-finish");
  if (isOpen || !isWhole || message.gap) return fetch(desk, branch, message);
  endStep(desk, branch, message);
  releaseAll(desk, branch);
}

function endStep(desk: Desk, branch: Branch, message: Message): void {
  if (message.over) return;
  message.over = true;
  const { info, id } = message;
  desk.tell(branch, {
    type: "step.finished",
    step: id,
    ...present({ finish: textIn(info, "finish")?.replace("tool-calls", "tool_calls"), usage: usageOf(info) }),
    point: id,
  });
}

/** A message as the program keeps it. `isLast`: no later message of the agent is there, so it may still change. */
export function learnMessage(desk: Desk, branch: Branch, kept: Fields, isLast: boolean): void {
  const info = fieldsIn(kept, "info");
  const id = textIn(info, "id");
  if (id === undefined || isPast(branch, id) || !desk.turnOf(branch, id)) return;
  const message = messageOf(branch, id);
  learnInfo(message, info);
  if (message.role === undefined) return;
  const parts = listIn(kept, "parts");
  if (message.role === "user") {
    onUserMessage(desk, branch, message);
    for (const told of parts) tellForeign(desk, branch, message, told);
    return;
  }
  beginStep(desk, branch, message);
  for (const told of parts) tellPart(desk, branch, message, told);
  noteError(branch, info);
  if (isCompletedIn(info) || !isLast) settleMessage(desk, branch, message, parts);
}

function settleMessage(desk: Desk, branch: Branch, message: Message, kept: readonly Fields[] | undefined): void {
  if (message.over) return;
  for (const part of message.parts.values())
    if (TEXTS.has(part.type))
      desk.tell(branch, ...settleText(part, kept && (kept.find((one) => one.id === part.id) ?? {})));
  message.gap = false;
  endStep(desk, branch, message);
}

/** The answer to a want of a message: an empty one where the program does not keep it, undefined where it could not be asked. */
export function onFetched(desk: Desk, branch: Branch, id: string, kept: Fields | undefined): void {
  const message = branch.messages.get(id);
  if (!message) return;
  message.asked = false;
  const isIt = kept !== undefined && textIn(fieldsIn(kept, "info"), "id") === id;
  const role = message.role ?? (isIt ? roleIn(fieldsIn(kept, "info")) : undefined);
  const isNowFollowed = isFollowed(branch, id);
  if (role === undefined) {
    message.missed = true;
    message.held = [];
  } else if (kept === undefined) return desk.check(branch);
  else if (isIt) {
    learnMessage(desk, branch, kept, !message.followed);
    // The answer may be older than the next message, and not whole.
    if (isNowFollowed && !message.over && role === "assistant") fetch(desk, branch, message);
  } else if (isNowFollowed || isCompletedIn(message.info)) settleMessage(desk, branch, message, undefined);
  releaseAll(desk, branch);
}

/** Tells what waited, in the order of the messages. */
function releaseAll(desk: Desk, branch: Branch): void {
  const waiting = [...branch.messages.values()].filter(({ held }) => held.length > 0);
  for (const message of waiting.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    if (!message.asked) release(desk, branch, message);
}
