import type { ParleyEvent } from "../../../../core/events/event.ts";
import type { EventRecord, Log } from "../../../../log/contract.ts";
import { EventIds } from "../../projection/derived-ids.ts";
import type { SessionView } from "../../projection/session-view.ts";
import type { NextEvent } from "../../shapes/next.ts";
import { primedView } from "../../streams/prime.ts";
import { Translator } from "./translator.ts";

/** An event of the log becomes fewer events than this. */
const MOST = 1_000;

/** The events that OpenCode made anew since its first version of them. */
const SECOND: ReadonlySet<string> = new Set(["session.next.step.ended", "session.next.step.failed"]);

/** The number of an event of the newer streams: grows within its session and may skip. */
export function nextNumber(seq: number, index: number): number {
  return seq * MOST + index;
}

/** An event of the newer streams as clients get it. */
export interface NumberedEvent extends NextEvent {
  id: string;
  number: number;
}

/** Makes events for the newer streams from those of a session, in order from the beginning of a turn. */
export class NextNumbers {
  readonly #ids: EventIds;
  readonly #session: string;
  readonly #translator = new Translator();

  constructor(session: string) {
    this.#ids = new EventIds(session);
    this.#session = session;
  }

  take(event: ParleyEvent, said: Parameters<Translator["take"]>[1], { state }: SessionView): NumberedEvent[] {
    let kept = 0;
    return this.#translator.take(event, said, state).map((one, index) => ({
      ...one,
      id: this.#ids.id(event.time, event.seq, index),
      number: nextNumber(event.seq, one.durable ? kept++ : kept),
    }));
  }

  /** An event as clients get it; on the stream of all sessions it says where it happened. */
  told({ id, type, data, durable, number }: NumberedEvent, directory?: string): object {
    const version = SECOND.has(type) ? 2 : 1;
    return {
      id,
      type,
      ...(durable ? { durable: { aggregateID: this.#session, seq: number, version } } : {}),
      ...(directory === undefined ? {} : { location: { directory } }),
      data,
    };
  }
}

/** Reads on in a session's log after one of the newer numbers. */
export class DurableReader {
  readonly #view: SessionView;
  readonly #numbers: NextNumbers;
  readonly #after: number;

  private constructor(view: SessionView, numbers: NextNumbers, after: number) {
    this.#view = view;
    this.#numbers = numbers;
    this.#after = after;
  }

  /** The reader, and the number in the log after which it must be fed. Undefined for a session that the log has forgotten. */
  static async open(log: Log, session: string, after: number): Promise<[DurableReader, number] | undefined> {
    // The event of that number is taken in again: the client may have only a part of what became of it.
    const from = Math.max(1, Math.floor(after / MOST));
    const numbers = new NextNumbers(session);
    const primed = await primedView(session, from, {
      log,
      projectOf: () => "",
      keep: { turns: 0, withinMs: 0 },
      watch: (event, said, view) => numbers.take(event, said, view),
    });
    return primed && [new DurableReader(primed.view, numbers, after), from - 1];
  }

  /** The kept events that a client has not seen, as JSON with their numbers. */
  take(records: readonly EventRecord[]): { number: number; json: string }[] {
    return records.flatMap(({ json }) => {
      const event = JSON.parse(json) as ParleyEvent;
      return this.#numbers
        .take(event, this.#view.apply(event), this.#view)
        .filter(({ durable, number }) => durable && number > this.#after)
        .map((one) => ({ number: one.number, json: JSON.stringify(this.#numbers.told(one)) }));
    });
  }
}
