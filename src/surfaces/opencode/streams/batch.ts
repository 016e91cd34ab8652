import { setImmediate as nextTurn } from "node:timers/promises";
import { weightOf } from "../../../core/json/weight.ts";
import { type WrittenPieces, writingPieces } from "../../../core/json/written-pieces.ts";
import type { Projected } from "../projection/outbox.ts";
import type { OpencodeEvent } from "../shapes/event.ts";
import { inDialect } from "./dialect.ts";

export interface Place {
  directory: string;
  project: string;
}

/** An event as JSON; a long one with its bytes. */
export type Told = string | WrittenPieces;

/**
 * The projected events of one event of the log. They are made into JSON before the next one is taken, because their parts
 * go on growing; in the older dialect only where a client speaks it.
 */
export interface Batch {
  position: number;
  session: string;
  seq: number;
  place: Place;
  json: readonly Told[];
  older?: readonly Told[];
  /** Those of the newer half of the API, where a client wants them. */
  newer?: readonly Told[];
}

/** The same before it is made into JSON. */
export interface Untold {
  position: number;
  session: string;
  seq: number;
  place: Place;
  events: readonly object[];
  /** Those that are another event in the older dialect, where a client speaks it. */
  older?: readonly object[];
  newer?: readonly object[];
}

export function untoldOf(
  { position, session, seq }: { position: number; session: string; seq: number },
  place: Place,
  projected: readonly Projected[],
  withOlder: boolean,
): Untold {
  const untold = { position, session, seq, place, events: projected.map(({ event }) => event) };
  return withOlder ? { ...untold, older: projected.map((one) => inDialect(one, "1.1")) } : untold;
}

export function batchOf({ position, session, seq, place, events, older, newer }: Untold): Batch {
  const batch: Batch = { position, session, seq, place, json: events.map(textOf) };
  if (older) batch.older = older.map(textOf);
  if (newer) batch.newer = newer.map(textOf);
  return batch;
}

const textOf = (event: object): string => JSON.stringify(event);

/** The same for a heavy one, in turns of the event loop. */
export async function heavyBatchOf({ events, older, newer, ...rest }: Untold): Promise<Batch> {
  /** An event that is the same in both dialects is made once. */
  const made = new Map<object, Told>();
  const texts = async (all: readonly object[]): Promise<Told[]> => {
    const told: Told[] = [];
    for (const one of all) {
      const text = made.get(one) ?? (await textInTurns(one));
      made.set(one, text);
      told.push(text);
    }
    return told;
  };
  const json = await texts(events);
  return { ...rest, json, ...(older && { older: await texts(older) }), ...(newer && { newer: await texts(newer) }) };
}

/** A longer text is made in turns. */
const LONG = 128 * 1024;
/** Characters of one turn. */
const SLICE = 512 * 1024;

async function textInTurns(event: object): Promise<Told> {
  const weight = weightOf(event);
  if (weight < LONG) return JSON.stringify(event);
  const writing = writingPieces(event, weight, SLICE);
  for (;;) {
    const step = writing.next();
    await nextTurn();
    if (step.done) return step.value;
  }
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
