import type { Projected } from "../projection/outbox.ts";
import type { OpencodeEvent } from "../shapes/event.ts";
import { inDialect } from "./dialect.ts";

export interface Place {
  directory: string;
  project: string;
}

/**
 * The projected events of one event of the log. They are made into JSON at once, because their parts go on growing; in
 * the older dialect only where a client speaks it.
 */
export interface Batch {
  position: number;
  session: string;
  seq: number;
  place: Place;
  json: readonly string[];
  older?: readonly string[];
  /** Those of the newer half of the API, where a client wants them. */
  newer?: readonly string[];
}

export function batchOf(
  record: { position: number; session: string; seq: number },
  place: Place,
  projected: readonly Projected[],
  withOlder: boolean,
): Batch {
  const { position, session, seq } = record;
  const json = projected.map(({ event }) => JSON.stringify(event));
  if (!withOlder) return { position, session, seq, place, json };
  const older = projected.map((one) => JSON.stringify(inDialect(one, "1.1")));
  return { position, session, seq, place, json, older };
}

/** All that comes before and after an event in `/global/event`, which says where it happened; what happened nowhere in particular has no place. */
export function envelope(place: Place | undefined): [before: string, after: string] {
  const where = place
    ? `"directory":${JSON.stringify(place.directory)},"project":${JSON.stringify(place.project)},`
    : "";
  return [`{${where}"payload":`, "}"];
}

/** An event that is of no session, as one stream or the other has it. */
export function plainJson(
  event: OpencodeEvent,
  place: Place | undefined,
  { global, newer }: { global: boolean; newer?: boolean },
): string {
  const { id, type, properties: data } = event;
  if (newer) return JSON.stringify({ id, type, ...(place ? { location: { directory: place.directory } } : {}), data });
  const json = JSON.stringify(event);
  const [before, after] = global ? envelope(place) : ["", ""];
  return before + json + after;
}
