import { setImmediate as nextTurn } from "node:timers/promises";
import type { ParleyEvent } from "../../../core/events/event.ts";
import { begunKey, messageKey, promptKey } from "../../../core/events/keys.ts";
import { isCut } from "../../../core/history/cuts.ts";
import { promptOfUnanswered } from "../../../core/history/unanswered.ts";
import type { EventRecord, Log, SessionHead } from "../../../log/contract.ts";
import { notFound } from "../errors.ts";
import type { PendingAsks } from "../projection/open-asks.ts";
import type { MessageText } from "../projection/transcript.ts";
import type { MessageWithParts } from "../shapes/message.ts";
import { messagesOfTurn, type Placed, type PlacedText, type TurnMessages, TurnReading } from "./turn-messages.ts";
import { type Piece, piecesBack, thin } from "./turn-pieces.ts";
import { chunksOfTurn, restOfSteps, restOfTurn } from "./turn-rest.ts";
import { Waiting } from "./waiting.ts";

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

/** A call that waits for an answer is one of the last that were made. */
const ASKING_STEPS = 3;

/** How many events are read at once. */
const CHUNK = 512;

/** The prompt of a turn is among so many of its first events. */
const OPENING = 8;

/** The messages of sessions, read from the log a turn at a time: never more of it than was asked for. */
export class History {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  async page(head: SessionHead, { limit = Number.POSITIVE_INFINITY, before }: PageQuery): Promise<Page> {
    const waiting = new Waiting(head, (prompt) => this.#takenUp(head, prompt));
    const found: Placed[] = [];
    let older = false;
    // Every step is a message, so that this many of them are enough.
    const share = (): number => found.length / limit;
    const back = { before: before ?? head.last + 1, steps: limit, headless: true, share };
    for await (const piece of piecesBack(this.#log, head.state, back)) {
      const placed = await this.#placedIn(piece, head, waiting);
      for (const one of placed.reverse()) found.push(one);
      if (found.length < limit) continue;
      older = piece.headless || found.length > limit || (await this.#isOlder(head, piece.records[0]?.seq ?? 0));
      if (older) break;
    }
    const page = found.slice(0, limit).reverse();
    const [oldest] = page;
    const messages = page.map(({ message }) => message);
    return oldest && older ? { messages, next: oldest } : { messages };
  }

  /**
   * All messages, the oldest first, read as they are asked for: no more is held than those of one turn. Throws where the
   * session is deleted or its beginning forgotten meanwhile, because then they are not all.
   */
  async *all(head: SessionHead): AsyncGenerator<MessageText> {
    const { id, cuts } = head.state;
    const waiting = new Waiting(head, (prompt) => this.#takenUp(head, prompt));
    let turn: TurnReading | undefined;
    let placed: PlacedText[] = [];
    const finished = (): MessageText[] => {
      for (const one of turn?.texts() ?? []) placed.push(one);
      const messages = placed.sort((a, b) => a.seq - b.seq).map(({ message }) => message);
      placed = [];
      turn = undefined;
      return messages;
    };
    for await (const chunk of this.#upTo(id, head)) {
      for (const record of chunk) {
        if (record.type === "turn.started") {
          yield* finished();
          if (!isCut(cuts, record.seq)) turn = new TurnReading(head.state, true);
        }
        turn?.take(record);
        if (record.type !== "prompt.queued") continue;
        for (const { seq, message } of await waiting.placed(record))
          placed.push({ seq, message: { ...message, parts: message.parts.map((part) => JSON.stringify(part)) } });
      }
    }
    yield* finished();
  }

  /** The events of a session up to those that a head knows of. */
  async *#upTo(session: string, { first, last }: SessionHead): AsyncGenerator<EventRecord[]> {
    for (let after = first - 1; after < last; await nextTurn()) {
      const records = await this.#log.read(session, { after, limit: CHUNK });
      const now = await this.#log.head(session);
      if (!now || now.first > after + 1)
        throw new Error(`expected all of ${session}, some of it was forgotten meanwhile`);
      yield records.filter(({ seq }) => seq <= last);
      const end = records.at(-1);
      if (!end) return;
      after = end.seq;
    }
  }

  /** Whether the first events of the turn before a number show a message. Where they do not, the rest of it may. */
  async #isOlder({ state }: SessionHead, before: number): Promise<boolean> {
    const start = await this.#log.turnStart(state.id, before);
    if (start === undefined || isCut(state.cuts, start)) return false;
    const opening = await this.#log.read(state.id, { after: start - 1, limit: OPENING });
    const { placed } = await messagesOfTurn(
      state,
      opening.filter(({ seq }) => seq < before),
    );
    return placed.length > 0;
  }

  /** A message by its id, or undefined where the session has none such. */
  async message(head: SessionHead, id: string): Promise<MessageWithParts | undefined> {
    const { id: session, parent } = head.state;
    const asked = promptOfUnanswered(id);
    const event =
      (await this.#log.find(session, messageKey(id))) ??
      (await this.#log.find(session, promptKey(id))) ??
      (asked === undefined ? undefined : await this.#begunBy(session, asked));
    if (event?.type === "prompt.queued") {
      return new Waiting(head, (prompt) => this.#takenUp(head, prompt)).message(id);
    }
    if (event && isCut(head.state.cuts, event.seq)) return undefined;
    if (event) return messageIn(await this.#turnAround(head, event.seq), id);
    // The prompt of a sub-agent has no key in the log, but such a session is short.
    if (parent === undefined) return undefined;
    return (await this.page(head, {})).messages.find(({ info }) => info.id === id);
  }

  /** The place of a message that the log knows by name. */
  async placeOf(session: string, id: string): Promise<number | undefined> {
    const event = (await this.#log.find(session, messageKey(id))) ?? (await this.#log.find(session, promptKey(id)));
    return event?.seq;
  }

  /** The last message of the agent in the turn of a prompt. */
  async answerTo(head: SessionHead, prompt: string): Promise<MessageWithParts | undefined> {
    const { id } = head.state;
    const begun = await this.#begunBy(id, prompt);
    const turn = begun && (await this.#turnAround(head, begun.seq, 1));
    return turn?.placed.findLast(({ message }) => message.info.role === "assistant")?.message;
  }

  /** The open asks of a session. */
  async asks(head: SessionHead): Promise<PendingAsks> {
    const { turn } = head.state;
    if (!turn) return { permissions: [], questions: [] };
    return (await this.#turnAround(head, turn.seq, ASKING_STEPS)).view.asks();
  }

  /** Where the turn of a prompt took it up. */
  async #begunBy(session: string, prompt: string): Promise<ParleyEvent | undefined> {
    const event = await this.#log.find(session, promptKey(prompt));
    return event?.type === "prompt.queued" ? this.#log.find(session, begunKey(prompt)) : event;
  }

  async #turnAround(head: SessionHead, seq: number, steps?: number): Promise<TurnMessages> {
    const { id } = head.state;
    const start = (await this.#log.turnStart(id, seq + 1)) ?? seq;
    if (steps !== undefined) return messagesOfTurn(head.state, thin(await restOfTurn(this.#log, id, start - 1), steps));
    const turn = new TurnReading(head.state);
    for await (const chunk of chunksOfTurn(this.#log, id, start - 1)) for (const record of chunk) turn.take(record);
    return turn.messages();
  }

  async #takenUp(head: SessionHead, prompt: string): Promise<TurnMessages | undefined> {
    const begun = await this.#log.find(head.state.id, begunKey(prompt));
    return begun && !isCut(head.state.cuts, begun.seq) ? this.#turnAround(head, begun.seq) : undefined;
  }

  /** All messages whose place is in a piece of the log. */
  async #placedIn(piece: Piece, head: SessionHead, waiting: Waiting): Promise<Placed[]> {
    const { records } = piece;
    const [first] = records;
    const end = (records.at(-1)?.seq ?? 0) + 1;
    const placed: Placed[] = [];
    if (first?.type === "turn.started" && !isCut(head.state.cuts, first.seq)) {
      const whole = end > head.last || records.some(({ type }) => type === "turn.ended");
      const turn = await messagesOfTurn(head.state, whole ? records : await this.#completed(piece, head, end - 1));
      if (!piece.thinned) waiting.know(turn);
      placed.push(...turn.placed.filter(({ seq }) => seq < end));
    }
    for (const record of records) if (record.type === "prompt.queued") placed.push(...(await waiting.placed(record)));
    return placed.sort((a, b) => a.seq - b.seq);
  }

  /** A piece that ends within its turn, with the later events of that turn. */
  async #completed({ records, thinned }: Piece, head: SessionHead, last: number): Promise<EventRecord[]> {
    const { id } = head.state;
    // Only the user's message shows the changes of the whole turn; the others need their own steps only.
    const rest = thinned ? await restOfSteps(this.#log, id, records, last) : await restOfTurn(this.#log, id, last);
    return records.concat(rest);
  }
}

/** A message by its id; one that is not there is refused. */
export async function messageOf(history: History, head: SessionHead, id: string): Promise<MessageWithParts> {
  const message = await history.message(head, id);
  if (!message) throw notFound(`Message not found: ${id}`);
  return message;
}

function messageIn({ placed, waited }: TurnMessages, id: string): MessageWithParts | undefined {
  return waited.get(id) ?? placed.find(({ message }) => message.info.id === id)?.message;
}
