import type { EventData } from "../events/catalog.ts";
import type { MessageItem } from "../events/items.ts";
import type { Prompt, PromptPart } from "../events/values.ts";
import { present } from "../json/fields.ts";
import { beginsTurn, type Facts } from "../session-state.ts";
import { titleFrom } from "../session-title.ts";
import type { Frame } from "./frame.ts";
import { commitRevert } from "./revert.ts";
import { changeAgent, updateFacts } from "./session.ts";
import { userText, withUntold } from "./shell.ts";
import { QUEUE_LIMIT } from "./state.ts";
import { beginTurn, choiceOf } from "./turn.ts";

function userItem(prompt: Prompt, steered: boolean): { header: MessageItem; full: MessageItem } {
  const text = userText(prompt.parts);
  const { id, digest, queued } = prompt;
  const mark = present({ ...(steered ? { steered, digest } : {}), queued });
  const header: MessageItem = { id, kind: "message", role: "user", status: "running", ...mark };
  const [first] = prompt.parts;
  // Fields that a client adds to a part, such as its own id, are not in the text.
  const plain = prompt.parts.length === 1 && first?.type === "text" && Object.keys(first).length === 2;
  return { header, full: { ...header, status: "completed", text, ...(plain ? {} : { content: prompt.parts }) } };
}

function sayUserMessage(frame: Frame, prompt: Prompt, steered: boolean): void {
  const { header, full } = userItem(prompt, steered);
  frame.say("item.started", { item: header }, "parley");
  frame.say("item.completed", { item: full }, "parley");
}

/** The title of a session that has none, from its first prompt, until the agent gives a better one. */
function titleOf({ parts }: Prompt): string | undefined {
  const said = parts.find((part) => part.type === "text" && !part.synthetic);
  return said?.type === "text" ? titleFrom(said.text) : undefined;
}

function headerOf({ parts: _, ...header }: Prompt): NonNullable<EventData["turn.started"]["prompt"]> {
  return header;
}

/** Puts the prompt's choice of model, mode, options and rules in force with its turn: a prompt that is refused or withdrawn changes nothing. */
function wishesOf({ model, mode, options, permissions }: Prompt): Facts {
  return present({ model, mode, options, permissions });
}

/** Begins the turn of a prompt and its context. The agent gets them after the events are stored. */
function startPrompt(frame: Frame, given: Prompt, kept: readonly Prompt[]): void {
  commitRevert(frame);
  const prompt = withUntold(frame, given);
  const turn = beginTurn(frame, "user", prompt.task);
  const title = frame.state.facts.title ?? titleOf(prompt);
  updateFacts(frame, { ...present({ title }), ...wishesOf(prompt) }, "parley");
  const context = kept.length === 0 ? {} : { context: kept.map(headerOf) };
  frame.say("turn.started", { by: "user", prompt: headerOf(prompt), ...choiceOf(frame), ...context }, "parley");
  for (const said of [...kept, prompt]) sayUserMessage(frame, said, false);
  frame.patch({ lastPrompt: prompt.id });
  const parts = [...kept, prompt].flatMap((said) => said.parts);
  frame.want({ type: "deliver", prompt: { ...prompt, parts }, turn: turn.id });
}

/** A prompt that the agent had before the session was Parley's: its turn is past, and nothing is given to anybody. */
export function sayPastPrompt(frame: Frame, parts: PromptPart[]): void {
  const prompt: Prompt = { id: frame.context.id("message"), parts };
  beginTurn(frame, "user");
  const title = frame.state.facts.title ?? titleOf(prompt);
  if (title !== undefined) updateFacts(frame, { title }, "parley");
  frame.say("turn.started", { by: "user", prompt: headerOf(prompt), ...choiceOf(frame), replayed: true });
  sayUserMessage(frame, prompt, false);
  frame.patch({ lastPrompt: prompt.id });
}

export function onPrompt(frame: Frame, prompt: Prompt, agent?: string): void {
  const { turn, queue, closing } = frame.state;
  if (closing === "deleted") {
    frame.refuse("session_not_found", "the session is being deleted");
  } else if (closing === "shutdown") {
    frame.refuse("shutting_down", "Parley is shutting down; try again when it is back");
  } else if (!changeAgent(frame, agent)) {
    return;
  } else if (!turn && beginsTurn(prompt) && !queue.some(beginsTurn)) {
    frame.patch({ queue: prompt.task ? queue : [] });
    startPrompt(frame, prompt, prompt.task ? [] : queue);
  } else if (prompt.delivery === "reject") {
    frame.refuse("busy", "the session is busy; send the prompt with delivery `queue` to have it run next");
  } else if (queue.length >= QUEUE_LIMIT) {
    frame.refuse("queue_full", `${QUEUE_LIMIT} prompts are waiting already; wait for one to finish, or withdraw one`);
  } else {
    const waiting = { ...prompt, queued: frame.context.now };
    frame.patch({ queue: [...queue, waiting] });
    frame.sayOfSession("prompt.queued", { prompt: waiting, position: queue.length + 1 }, "parley");
    // Context has no turn of its own, so its rules are in force at once.
    if (!beginsTurn(prompt) && prompt.permissions) updateFacts(frame, { permissions: prompt.permissions }, "parley");
    // Prompts may have waited through a restart; the oldest goes first.
    startNext(frame);
  }
}

/** Steers the open turn by a prompt; with no turn open it is a prompt like any other. */
export function onSteer(frame: Frame, prompt: Prompt): void {
  const { turn } = frame.state;
  if (!turn || turn.end || turn.cancelled || turn.task || frame.state.closing) {
    onPrompt(frame, prompt);
    return;
  }
  if (choosesOther(frame, prompt)) {
    const why = "the running turn goes on with the model, the mode and the options it has";
    return frame.refuse("invalid", `${why}: send the prompt with delivery \`queue\`, or change the session first`);
  }
  if (prompt.permissions) updateFacts(frame, { permissions: prompt.permissions }, "parley");
  sayUserMessage(frame, prompt, true);
  frame.want({ type: "steer", prompt });
}

function choosesOther({ state: { facts } }: Frame, { model, mode, options = {} }: Prompt): boolean {
  return (
    (model !== undefined && model !== facts.model) ||
    (mode !== undefined && mode !== facts.mode) ||
    Object.entries(options).some(([id, value]) => facts.options?.[id] !== value)
  );
}

export function onWithdraw(frame: Frame, id: string): void {
  if (!frame.state.queue.some((prompt) => prompt.id === id)) {
    frame.refuse("prompt_not_found", `no prompt ${id} is waiting: it has begun, was withdrawn, or never came`);
    return;
  }
  frame.patch({ queue: frame.state.queue.filter((prompt) => prompt.id !== id) });
  frame.sayOfSession("prompt.withdrawn", { prompt: id, reason: "deleted" }, "parley");
}

/** Withdraws queued prompts. Context is withdrawn only when the session is deleted. */
export function clearQueue(frame: Frame, reason: "cancelled" | "deleted"): void {
  const queue = frame.state.queue.filter((prompt) => reason === "deleted" || beginsTurn(prompt));
  frame.patch({ queue: frame.state.queue.filter((prompt) => !queue.includes(prompt)) });
  for (const prompt of queue) frame.sayOfSession("prompt.withdrawn", { prompt: prompt.id, reason }, "parley");
}

/** Begins the turn of the next queued prompt, if no turn is open, with the context that was queued before it. */
export function startNext(frame: Frame): void {
  const { turn, closing, queue } = frame.state;
  const at = queue.findIndex(beginsTurn);
  const next = queue[at];
  if (!next || turn || closing === "shutdown" || closing === "deleted") return;
  const kept = next.task ? [] : queue.slice(0, at);
  const rest = queue.filter((prompt) => prompt !== next && !kept.includes(prompt));
  frame.patch({ queue: rest });
  startPrompt(frame, next, kept);
}
