import type { ParleyEvent } from "../core/events/event.ts";
import type { Session } from "./types.ts";

/** Events after a cursor that are no longer kept. */
export interface Gap {
  /** The cursor that was asked for. */
  after: number;
  /** The first number that is kept. */
  first: number;
  /** The session as it was just before that number. */
  snapshot: Session;
}

/** Stands for the events that are gone. It is no stored event: its number is that of the last event it stands for. */
export interface GapEvent {
  type: "gap";
  id: string;
  seq: number;
  session: string;
  data: Gap;
}

/**
 * An event of a session's stream: narrow it by `type`. A type that only a newer Parley knows comes as it is too: a
 * `default` branch sees it (as `UnknownEvent`), although the compiler thinks that nothing is left.
 */
export type StreamEvent = ParleyEvent | GapEvent;

export interface EventPage {
  events: ParleyEvent[];
  /** The cursor for the next page. */
  next: number;
  more: boolean;
  gap?: Gap;
}

/** A page that was read backwards. Its events are in their order, oldest first. */
export interface EventPageBack {
  events: ParleyEvent[];
  /** The `before` of the next older page; null where nothing older is kept. */
  previous: number | null;
  /** Events that are missing before the first one of the page. */
  gap?: Gap;
}

/** A number, an event's id, or `latest` for future events only. */
export type After = number | (string & {}) | "latest";
