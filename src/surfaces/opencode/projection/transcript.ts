import { isDeepStrictEqual } from "node:util";
import type { Message, MessageWithParts, Part } from "../shapes/message.ts";
import type { Outbox } from "./outbox.ts";

/** A part that is done, as its JSON: a tenth of what it takes as an object. */
class PartText {
  readonly json: string;

  constructor(part: Part) {
    this.json = JSON.stringify(part);
  }
}

/** A part that nobody has seen yet may be made when it is asked for. */
type Kept = Part | PartText | (() => Part);

interface Entry {
  info: Message;
  parts: Map<string, Kept>;
  /** The number of the event that first spoke of it; 0 for one that was known before. */
  seq: number;
  /** The turn that spoke of it last. */
  turn: number;
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function made(part: Kept): Part {
  if (part instanceof PartText) return JSON.parse(part.json) as Part;
  return typeof part === "function" ? part() : part;
}

function textOf(part: Kept): string {
  return part instanceof PartText ? part.json : JSON.stringify(made(part));
}

/** Whether it will probably not change any more. */
function isDone(part: Part): boolean {
  return part.type === "tool" ? "end" in (("time" in part.state && part.state.time) || {}) : part.type !== "text";
}

/** A message with the number of the event that first showed it; 0 for one that was known before. */
export interface Numbered extends MessageWithParts {
  seq: number;
}

/** A message whose parts are their JSON. */
export interface MessageText {
  info: Message;
  parts: string[];
}

/** Messages as OpenCode lists them: by their time, and by their id within it. */
function inOrder(a: Message, b: Message): number {
  return a.time.created - b.time.created || byId(a, b);
}

/**
 * The messages and parts of a session, each change of which is said. What was said is never changed afterwards: a change
 * makes a new object, so that an event keeps the value of its own time.
 */
export class Transcript {
  readonly #entries = new Map<string, Entry>();
  readonly #out: Outbox;
  readonly #session: string;
  /** Parts that are done are kept as texts. */
  readonly #texts: boolean;
  #turn = 0;

  constructor(session: string, out: Outbox, texts = false) {
    this.#session = session;
    this.#out = out;
    this.#texts = texts;
  }

  info(id: string): Message | undefined {
    return this.#entries.get(id)?.info;
  }

  part(messageID: string, id: string): Part | undefined {
    const part = this.#entries.get(messageID)?.parts.get(id);
    return part && made(part);
  }

  isEmpty(messageID: string): boolean {
    return (this.#entries.get(messageID)?.parts.size ?? 0) === 0;
  }

  /** Holds a message that clients know already. */
  hold({ info, parts }: MessageWithParts): void {
    const known = new Map(parts.map((part) => [part.id, part]));
    this.#entries.set(info.id, { info, parts: known, seq: 0, turn: this.#turn });
  }

  putMessage(info: Message): void {
    const entry = this.#entries.get(info.id);
    if (entry) entry.turn = this.#turn;
    if (!this.#out.silent && isDeepStrictEqual(entry?.info, info)) return;
    if (entry) entry.info = info;
    else this.#entries.set(info.id, { info, parts: new Map(), seq: this.#out.seq, turn: this.#turn });
    this.#out.say("message.updated", { sessionID: this.#session, info });
  }

  /** Removes messages that are no longer part of the conversation. Clients are always told: they may hold more messages than this. */
  takeBack(ids: readonly string[]): void {
    for (const messageID of ids) {
      this.#entries.delete(messageID);
      this.#out.say("message.removed", { sessionID: this.#session, messageID });
    }
  }

  /** Lets go of a message, which is nothing that clients need to hear of. */
  forget(id: string): void {
    this.#entries.delete(id);
  }

  /** Lets go of what older turns said, but for what still waits. */
  nextTurn(oldest: number, waiting: readonly string[]): void {
    this.#turn += 1;
    for (const [id, { turn }] of [...this.#entries])
      if (turn < oldest && !waiting.includes(id)) this.#entries.delete(id);
  }

  putPart(part: Part): void {
    const entry = this.#entries.get(part.messageID);
    // Clients do not hear again of a message that has not changed.
    if (!entry || (!this.#out.silent && isDeepStrictEqual(entry.parts.get(part.id), part))) return;
    entry.parts.set(part.id, this.#texts && isDone(part) ? new PartText(part) : part);
    this.#out.say("message.part.updated", { sessionID: this.#session, part, time: this.#out.time });
  }

  /** Puts a part that will change soon. Where nobody listens it is made when somebody asks, as it is then. */
  putPassing(messageID: string, id: string, make: () => Part): void {
    if (this.#out.silent) this.#entries.get(messageID)?.parts.set(id, make);
    else this.putPart(make());
  }

  /** Adds to a part's text. Strings share what they are joined from, so this costs the same however long the text is. */
  addText(messageID: string, partID: string, delta: string): void {
    const parts = this.#entries.get(messageID)?.parts;
    const part = this.part(messageID, partID);
    if (!parts || (part?.type !== "text" && part?.type !== "reasoning")) return;
    const longer = { ...part, text: part.text + delta };
    parts.set(partID, longer);
    this.#out.say("message.part.delta", { sessionID: this.#session, messageID, partID, field: "text", delta }, longer);
  }

  removePart(messageID: string, partID: string): void {
    if (this.#entries.get(messageID)?.parts.delete(partID))
      this.#out.say("message.part.removed", { sessionID: this.#session, messageID, partID });
  }

  list(): MessageWithParts[] {
    return this.numbered().map(({ info, parts }) => ({ info, parts }));
  }

  numbered(): Numbered[] {
    return this.#inOrder().map(({ info, parts, seq }) => ({ info, parts: inOrderOf(parts, made), seq }));
  }

  /** The same with the parts as texts. */
  texts(): (MessageText & { seq: number })[] {
    return this.#inOrder().map(({ info, parts, seq }) => ({ info, parts: inOrderOf(parts, textOf), seq }));
  }

  #inOrder(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => inOrder(a.info, b.info));
  }
}

/** Parts by their ids. */
function inOrderOf<T>(parts: ReadonlyMap<string, Kept>, give: (part: Kept) => T): T[] {
  const ids = [...parts.keys()].sort();
  return ids.map((id) => give(parts.get(id) as Kept));
}
