import { begunKey, messageKey, promptKey } from "../../core/event-keys.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import { isCut } from "../../core/history/cuts.ts";
import type { Log, LogRecord, SessionHead } from "../../log/contract.ts";
import { SessionView } from "./projection/session-view.ts";
import type { MessageWithParts } from "./shapes/message.ts";
import { messagesOfTurn, type Placed, type TurnMessages } from "./turn-messages.ts";
import { piecesBack, restOfTurn } from "./turn-pieces.ts";

export interface PageQuery {
  /** All where absent. */
  limit?: number;
  /** Only messages with a place before this number. */
  before?: number;
}

export interface Page {
  /** The newest ones, oldest first. */
  messages: MessageWithParts[];
  /** Where the page of older ones ends; absent when there are none. */
  next?: Placed;
}

/** The messages of sessions, read from the log a turn at a time: never more of it than was asked for. */
export class History {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  async page(head: SessionHead, { limit = Number.POSITIVE_INFINITY, before }: PageQuery): Promise<Page> {
    const waiting = new Waiting(head, (prompt) => this.#takenUp(head, prompt));
    const found: Placed[] = [];
    for await (const piece of piecesBack(this.#log, head.state.id, before ?? head.last + 1)) {
      const placed = await this.#placedIn(piece, head, waiting);
      found.push(...placed.reverse());
      if (found.length > limit) break;
    }
    const page = found.slice(0, limit).reverse();
    const [oldest] = page;
    const messages = page.map(({ message }) => message);
    return oldest && found.length > limit ? { messages, next: oldest } : { messages };
  }

  /** A message by its id, or undefined where the session has none such. */
  async message(head: SessionHead, id: string): Promise<MessageWithParts | undefined> {
    const { id: session, parent } = head.state;
    const event = (await this.#log.find(session, messageKey(id))) ?? (await this.#log.find(session, promptKey(id)));
    if (event?.type === "prompt.queued") {
      return new Waiting(head, (prompt) => this.#takenUp(head, prompt)).message(id);
    }
    if (event && isCut(head.state.cuts, event.seq)) return undefined;
    if (event) return messageIn(await this.#turnAround(head, event.seq), id);
    // What a sub-agent was told has no name in the log, but such a session is short.
    if (parent === undefined) return undefined;
    return (await this.page(head, {})).messages.find(({ info }) => info.id === id);
  }

  /** The place of a message that the log knows by name. */
  async placeOf(session: string, id: string): Promise<number | undefined> {
    const event = (await this.#log.find(session, messageKey(id))) ?? (await this.#log.find(session, promptKey(id)));
    return event?.seq;
  }

  /** The turn of a prompt, once it has begun. */
  async turnOf(head: SessionHead, prompt: string): Promise<TurnMessages | undefined> {
    const { id } = head.state;
    const event = await this.#log.find(id, promptKey(prompt));
    const begun = event?.type === "prompt.queued" ? await this.#log.find(id, begunKey(prompt)) : event;
    return begun && this.#turnAround(head, begun.seq);
  }

  /** The turn that is open. */
  async openTurn(head: SessionHead): Promise<TurnMessages | undefined> {
    const { turn } = head.state;
    return turn ? this.#turnAround(head, turn.seq) : undefined;
  }

  async #turnAround(head: SessionHead, seq: number): Promise<TurnMessages> {
    const { id } = head.state;
    const start = (await this.#log.turnStart(id, seq + 1)) ?? seq;
    return messagesOfTurn(head.state, await restOfTurn(this.#log, id, start - 1));
  }

  async #takenUp(head: SessionHead, prompt: string): Promise<TurnMessages | undefined> {
    const begun = await this.#log.find(head.state.id, begunKey(prompt));
    return begun && !isCut(head.state.cuts, begun.seq) ? this.#turnAround(head, begun.seq) : undefined;
  }

  /** All messages whose place is in a piece of the log. */
  async #placedIn(piece: readonly LogRecord[], head: SessionHead, waiting: Waiting): Promise<Placed[]> {
    const [first] = piece;
    const end = (piece.at(-1)?.seq ?? 0) + 1;
    const placed: Placed[] = [];
    if (first?.type === "turn.started" && !isCut(head.state.cuts, first.seq)) {
      const whole = end > head.last || piece.some(({ type }) => type === "turn.ended");
      const rest = whole ? [] : await restOfTurn(this.#log, head.state.id, end - 1);
      const turn = messagesOfTurn(head.state, [...piece, ...rest]);
      waiting.know(turn);
      placed.push(...turn.placed.filter(({ seq }) => seq < end));
    }
    for (const { type, json, seq } of piece) {
      if (type !== "prompt.queued") continue;
      const event = JSON.parse(json) as Extract<ParleyEvent, { type: "prompt.queued" }>;
      const message = await waiting.message(event.data.prompt.id);
      if (message) placed.push({ seq, message });
    }
    return placed.sort((a, b) => a.seq - b.seq);
  }
}

function messageIn({ placed, waited }: TurnMessages, id: string): MessageWithParts | undefined {
  return waited.get(id) ?? placed.find(({ message }) => message.info.id === id)?.message;
}

/** The messages of prompts that wait or waited: they are said where they began to wait, and told in full by their turn. */
class Waiting {
  readonly #known = new Map<string, MessageWithParts>();
  readonly #takenUp: (prompt: string) => Promise<TurnMessages | undefined>;

  constructor({ state }: SessionHead, takenUp: (prompt: string) => Promise<TurnMessages | undefined>) {
    this.#takenUp = takenUp;
    if (state.queue.length === 0) return;
    for (const message of new SessionView(state).messages()) this.#known.set(message.info.id, message);
  }

  know({ waited }: TurnMessages): void {
    for (const [id, message] of waited) this.#known.set(id, message);
  }

  /** Undefined for one that was withdrawn. */
  async message(id: string): Promise<MessageWithParts | undefined> {
    if (!this.#known.has(id)) {
      const turn = await this.#takenUp(id);
      if (turn) this.know(turn);
    }
    return this.#known.get(id);
  }
}
