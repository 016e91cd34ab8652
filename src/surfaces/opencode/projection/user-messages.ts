import type { EventOf } from "../../../core/events/event.ts";
import type { MessageItem } from "../../../core/events/items.ts";
import type { Prompt, PromptPart, Task } from "../../../core/events/values.ts";
import { objectAs, present } from "../../../core/json/fields.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { MessageWithParts, UserMessage } from "../shapes/message.ts";
import type { FileDiff } from "../shapes/session.ts";
import { userParts } from "./prompt-parts.ts";
import { answering, type Choice } from "./session-shape.ts";
import type { Transcript } from "./transcript.ts";

type Header = NonNullable<EventOf<"turn.started">["data"]["prompt"]>;

/** Facts of a prompt that only OpenCode's messages have a place for. */
function extrasOf({ system, tools }: Readonly<Record<string, unknown>>): Pick<UserMessage, "system" | "tools"> {
  return present({
    system: typeof system === "string" ? system : undefined,
    tools: objectAs<Record<string, boolean>>(tools),
  });
}

/** The user's side of a conversation. */
export class UserMessages {
  readonly #transcript: Transcript;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  #info(id: string, created: number, state: SessionState, choice: Choice, extras: object = {}): UserMessage {
    const { variant: named } = extras as { variant?: unknown };
    const { agent, providerID, modelID, variant: inForce } = answering(choice, state);
    const variant = typeof named === "string" ? named : inForce;
    return {
      id,
      sessionID: state.id,
      role: "user",
      time: { created },
      agent,
      model: present({ providerID, modelID, variant }),
      ...extrasOf(extras as Record<string, unknown>),
    };
  }

  #full(info: UserMessage, parts: readonly PromptPart[], directory: string, task?: Task): MessageWithParts {
    const { sessionID, id: messageID, time } = info;
    return { info, parts: userParts(parts, { sessionID, messageID, created: time.created, directory, task }) };
  }

  /** A prompt that waits is shown at once. */
  #waiting(prompt: Prompt, created: number, state: SessionState): MessageWithParts {
    const options = { ...state.options, ...prompt.options };
    const choice = { model: prompt.model ?? state.model, mode: prompt.mode ?? state.mode, options };
    const info = this.#info(prompt.id, prompt.queued ?? created, state, choice, prompt);
    return this.#full(info, prompt.parts, state.directory, prompt.task);
  }

  /** Prompts that waited before the view began to look. */
  hold(state: SessionState): void {
    for (const prompt of state.queue) this.#transcript.hold(this.#waiting(prompt, state.updated, state));
  }

  queue(prompt: Prompt, time: number, state: SessionState): void {
    this.#put(this.#waiting(prompt, time, state));
  }

  /** The message of a prompt whose turn begins, or that is given to the running one. One that waited is the same message. */
  begin(item: MessageItem, time: number, state: SessionState, choice: Choice, header?: Header): void {
    const created = item.queued ?? time;
    const info = this.#info(item.id, created, state, choice, header);
    const parts = item.content ?? [{ type: "text", text: item.text ?? "" }];
    this.#put(this.#full(info, parts, state.directory, header?.task));
  }

  /** A message that no prompt made: the agent's word of what somebody else said, or nobody's at all. */
  open(id: string, created: number, state: SessionState, choice: Choice): void {
    this.#transcript.putMessage(this.#info(id, created, state, choice));
  }

  /** It is known now what answers. */
  restate(id: string, state: SessionState, choice: Choice): void {
    const info = this.#transcript.info(id);
    if (info?.role !== "user") return;
    const { agent, providerID, modelID } = answering(choice, state);
    this.#transcript.putMessage({ ...info, agent, model: { ...info.model, providerID, modelID } });
  }

  /** The files that the turn of a message changed. */
  summarize(id: string, diffs: FileDiff[]): void {
    const info = this.#transcript.info(id);
    if (info?.role === "user") this.#transcript.putMessage({ ...info, summary: { diffs } });
  }

  #put({ info, parts }: MessageWithParts): void {
    this.#transcript.putMessage(info);
    for (const part of parts) this.#transcript.putPart(part);
  }
}
