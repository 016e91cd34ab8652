import type { EventSourceMessage } from "eventsource-parser";
import type { ParleyEvent } from "../core/events/event.ts";
import { ParleyProtocolError } from "./errors.ts";
import { numberIn, orderOf } from "./sequence.ts";
import type { Gap, GapEvent, StreamEvent } from "./stream-types.ts";

/** The cursor of a stream. It lets through the next event, drops repeats, and refuses to step over a hole. */
export class StreamCursor {
  /** Null for the stream of all sessions, whose positions grow but may skip. */
  readonly #session: string | null;
  #text: string;
  #number: number;

  constructor(session: string | null, cursor: string) {
    this.#session = session;
    this.#text = cursor;
    // A cursor without a number is the server's to refuse.
    this.#number = numberIn(cursor) ?? 0;
  }

  /** As the server takes it. */
  get text(): string {
    return this.#text;
  }

  /** Undefined for an event that was seen before, and for messages that only a newer client understands. */
  take({ event: name, id, data }: EventSourceMessage): StreamEvent | undefined {
    if (name === "gap") return this.gap(parse<Gap>(data));
    if (name !== undefined && name !== "message") return undefined;
    const event = parse<ParleyEvent>(data);
    return this.#session === null ? this.#takeAny(event, id) : this.takeOwn(event);
  }

  takeOwn(event: ParleyEvent): ParleyEvent | undefined {
    switch (orderOf(this.#number, event)) {
      case "repeat":
        return undefined;
      case "hole":
        throw new ParleyProtocolError(`expected number ${this.#number + 1} of ${event.session}, got ${event.seq}`);
      case "next":
        this.move(event.id, event.seq);
        return event;
    }
  }

  #takeAny(event: ParleyEvent, id: string | undefined): ParleyEvent | undefined {
    const position = numberIn(id ?? "");
    if (id === undefined || position === undefined) {
      throw new ParleyProtocolError(`expected a position as the id of ${event.id}, got "${id ?? ""}"`);
    }
    if (position <= this.#number) return undefined;
    this.move(id, position);
    return event;
  }

  gap(gap: Gap): GapEvent {
    const session = this.#session ?? gap.snapshot.id;
    const seq = gap.first - 1;
    const id = `${session}:${seq}`;
    this.move(id, seq);
    return { type: "gap", id, seq, session, data: gap };
  }

  move(cursor: string, number: number): void {
    this.#text = cursor;
    this.#number = number;
  }
}

function parse<T>(data: string): T {
  try {
    return JSON.parse(data) as T;
  } catch {
    throw new ParleyProtocolError(`expected JSON as the data of an event, got "${data.slice(0, 60)}"`);
  }
}
