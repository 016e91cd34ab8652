import type { EventOf, ParleyEvent } from "../../../../core/events/event.ts";
import { begunKey, messageKey, promptKey } from "../../../../core/events/keys.ts";
import { isCut } from "../../../../core/history/cuts.ts";
import { promptOfUnanswered } from "../../../../core/history/unanswered.ts";
import type { EventRecord, Log, SessionHead } from "../../../../log/contract.ts";
import { messagesOfTurn } from "../../messages/turn-messages.ts";
import { piecesBack } from "../../messages/turn-pieces.ts";
import type { NextMessage } from "../../shapes/next.ts";
import { nextMessages } from "./message.ts";
import { type Switched, Switches, switchedAt } from "./switches.ts";

/** A message, its place, and the number of the first event of its turn: so much is read again to find it. */
export interface Found {
  turn: number;
  seq: number;
  message: NextMessage;
}

export interface Around {
  id: string;
  turn: number;
}

/** The form of ids that Parley makes. */
const MADE = /^msg_[0-9a-f]{12}/;

/** How many events of a turn are read at once. */
const CHUNK = 512;

const SWITCHING: ReadonlySet<string> = new Set(["session.started", "session.updated", "turn.started"]);

function eventOf({ json }: EventRecord): ParleyEvent {
  return JSON.parse(json) as ParleyEvent;
}

function switchMessage({ messageID, agent, model }: Switched, created: number): NextMessage | undefined {
  const common = { id: messageID, time: { created } };
  if (agent !== undefined) return { ...common, type: "agent-switched", agent };
  return model && { ...common, type: "model-switched", model };
}

/** Messages of sessions in the newer form, read from the log a turn at a time. A prompt that waits is none yet. */
export class NextHistory {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The newest first. `steps`: how many of the newest are wanted in full. */
  async *back(head: SessionHead, steps: number, before = head.last + 1): AsyncGenerator<Found> {
    for await (const { records, thins } of piecesBack(this.#log, head.state, { before, steps })) {
      const messages = (await this.#messagesIn(records, head)).reverse();
      // Some steps are no message, so that one may be wanted of which a part was left out.
      const thin = messages.findIndex(({ seq, message }) => thins(seq) && message.type !== "user");
      if (thin < 0) yield* messages;
      else yield* messages.slice(0, thin);
      const start = records[0]?.seq ?? 0;
      if (thin >= 0) yield* (await this.#messagesIn(await this.#piece(head, start), head)).reverse().slice(thin);
    }
  }

  /** The messages that are older than one, the newest first. */
  async older(head: SessionHead, limit: number, than?: Around): Promise<Found[]> {
    const found: Found[] = [];
    if (than) {
      const turn = (await this.#messagesIn(await this.#piece(head, than.turn), head)).reverse();
      found.push(...turn.slice(turn.findIndex(({ message }) => message.id === than.id) + 1));
    }
    if (found.length >= limit) return found.slice(0, limit);
    for await (const one of this.back(head, limit, than?.turn)) {
      if (found.push(one) === limit) break;
    }
    return found;
  }

  /** The messages that are newer than one and nearest to it, the newest first; the oldest of all without one. Undefined where that one is gone. */
  async newer(head: SessionHead, limit: number, than?: Around): Promise<Found[] | undefined> {
    const nearest: Found[] = [];
    for await (const one of this.back(head, Number.POSITIVE_INFINITY)) {
      if (one.message.id === than?.id) return nearest;
      if (nearest.push(one) > limit) nearest.shift();
    }
    return than ? undefined : nearest;
  }

  /** The messages that the agent goes on from: everything since the last summary, the oldest first. */
  async context(head: SessionHead): Promise<NextMessage[]> {
    const found: NextMessage[] = [];
    for await (const { message } of this.back(head, Number.POSITIVE_INFINITY)) {
      found.push(message);
      if (message.type === "compaction") break;
    }
    return found.reverse();
  }

  async message(head: SessionHead, id: string): Promise<NextMessage | undefined> {
    const { id: session } = head.state;
    const seq = await this.#placeOf(session, id);
    if (seq !== undefined) {
      const turn = (await this.#log.turnStart(session, seq + 1)) ?? head.first;
      const messages = await this.#messagesIn(await this.#piece(head, turn), head);
      return messages.find(({ message }) => message.id === id)?.message;
    }
    // Only words of a user that the agent relayed have an id that the log does not know.
    if (!MADE.test(id)) return undefined;
    for await (const { message } of this.back(head, Number.POSITIVE_INFINITY)) if (message.id === id) return message;
    return undefined;
  }

  async #placeOf(session: string, id: string): Promise<number | undefined> {
    const find = (key: string): Promise<ParleyEvent | undefined> => this.#log.find(session, key);
    const prompt = promptOfUnanswered(id) ?? id;
    const event = (await find(messageKey(id))) ?? (await find(begunKey(prompt))) ?? (await find(promptKey(prompt)));
    if (event) return event.type === "prompt.queued" ? undefined : event.seq;
    return switchedAt(id);
  }

  /** The events from the beginning of a turn to that of the next. */
  async #piece({ state }: SessionHead, start: number): Promise<EventRecord[]> {
    const piece: EventRecord[] = [];
    for (let after = start - 1; ; ) {
      const records = await this.#log.read(state.id, { after, limit: CHUNK });
      const next = records.findIndex(({ type, seq }) => type === "turn.started" && seq > start);
      piece.push(...(next < 0 ? records : records.slice(0, next)));
      after = records.at(-1)?.seq ?? after;
      if (next >= 0 || records.length < CHUNK) return piece;
    }
  }

  /** All messages of a turn and of the time after it, the oldest first. */
  async #messagesIn(records: readonly EventRecord[], { state }: SessionHead): Promise<Found[]> {
    const [first] = records;
    if (!first || isCut(state.cuts, first.seq)) return [];
    const placed: { seq: number; message: NextMessage }[] = [];
    if (first.type === "turn.started") {
      const { prompt } = (eventOf(first) as EventOf<"turn.started">).data;
      const { waited, placed: said } = await messagesOfTurn(state, records);
      // Prompts that waited are the first of their turn.
      for (const { seq, message } of [
        ...[...waited.values()].map((one) => ({ seq: first.seq, message: one })),
        ...said,
      ])
        placed.push(...nextMessages(message, prompt).map((next) => ({ seq, message: next })));
    }
    const switches = new Switches();
    for (const event of records.filter(({ type }) => SWITCHING.has(type)).map(eventOf)) {
      for (const switched of switches.take(event, state)) {
        const message = switchMessage(switched, event.time);
        if (message) placed.push({ seq: event.seq, message });
      }
    }
    return placed.sort((a, b) => a.seq - b.seq).map((one) => ({ turn: first.seq, ...one }));
  }
}
