import type { IncomingMessage, ServerResponse } from "node:http";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import type { EventRecord, PlacedRecord } from "../../../log/contract.ts";
import { formatCursor } from "../../../log/cursor.ts";
import { type TailSink, tail, tailAll } from "../../../log/tail.ts";
import { eventsFrame, type Frame } from "../../stream/frame.ts";
import type { SseClient } from "../../stream/sse-client.ts";
import type { SseClients } from "../../stream/sse-clients.ts";
import { damageGap, type Gap, type Start } from "./cursor.ts";
import { wireBytes, wireJson } from "./wire.ts";

interface Cached<Item> {
  records: readonly Item[];
  frame: Frame;
}

type Frames<Item> = (records: readonly Item[], native: boolean) => Frame;

function isSame<Item>(some: readonly Item[], others: readonly Item[]): boolean {
  return some === others || (some.length === others.length && some.every((one, at) => one === others[at]));
}

/** Makes the bytes of some records of a commit once, however many clients get them. */
function framesOf<Item extends EventRecord>(cursorOf: (record: Item) => string): Frames<Item> {
  const cache = new WeakMap<Item, Cached<Item>>();
  return (records, native) => {
    const [first] = records;
    if (!first) return eventsFrame([]);
    const cached = native ? undefined : cache.get(first);
    if (cached && isSame(cached.records, records)) return cached.frame;
    const frame = eventsFrame(
      records.map((record) => ({
        id: cursorOf(record),
        data: wireJson(record, native),
        bytes: wireBytes(record, native),
      })),
    );
    if (!native) cache.set(first, { records, frame });
    return frame;
  };
}

export interface StreamRequest {
  request: IncomingMessage;
  response: ServerResponse;
  session: string | null;
  start: Start;
  native: boolean;
  /** Of all sessions: those whose deltas come; absent for every one. */
  deltas?: ReadonlySet<string> | undefined;
}

export type EventStreams = (request: StreamRequest) => void;

/** Event streams over the log: each client is a cursor, not a queue. */
export function eventStreams(gateway: Gateway, clients: SseClients): EventStreams {
  const { log, attachments } = gateway;
  const ofOne = framesOf<EventRecord>(({ session, seq }) => formatCursor(session, seq));
  const ofAll = framesOf<PlacedRecord>(({ position }) => formatCursor(null, position));
  // Apart from those of whole commits, which most clients get.
  const ofSome = framesOf<PlacedRecord>(({ position }) => formatCursor(null, position));
  return ({ request, response, session, start, native, deltas }) => {
    const client = clients.open(request, response);
    const detach = attachments.attach(session);
    const tellGap = (gap: Gap): void => {
      if (client.isHanded) client.hand({ event: "gap", data: JSON.stringify(gap) }, 0);
      else client.write(gapFrame(session, gap));
    };
    if (start.gap) tellGap(start.gap);
    const query = { after: start.after, native };
    const following =
      session === null
        ? tailAll(log, query, deltas ? without(deltas, client, ofAll, ofSome, native) : sinkFor(client, ofAll, native))
        : tail(log, session, query, {
            ...sinkFor(client, ofOne, native),
            write: (records, live, events) => {
              const full = client.isHanded
                ? handed(client, records, native, events)
                : written(client, ofOne(records, native), live);
              if (records.some(isDeletion)) client.cut("over");
              return full;
            },
            gap: async (after, next) => {
              const gap = await damageGap(gateway, session, after, next.seq);
              // Old turns were dropped while this client was still reading them: it comes back and is told by a gap.
              if (gap) tellGap(gap);
              else client.cut("over");
            },
          });
    client.onClose(() => {
      following.close();
      detach();
    });
  };
}

/** A promise for a client that must take its bytes before it gets more. */
function written(client: SseClient, frame: Frame, live: boolean): Promise<void> | undefined {
  return client.write(frame, live) ? undefined : client.drained();
}

/** Gives records to a client in the same process, as the events that they hold. */
function handed(
  client: SseClient,
  records: readonly EventRecord[],
  native: boolean,
  events: readonly ParleyEvent[] | undefined,
): Promise<void> | undefined {
  const known = native ? undefined : events;
  const weight = records.reduce((sum, { json }) => sum + json.length, 0);
  const read = (record: EventRecord): ParleyEvent => JSON.parse(wireJson(record, native)) as ParleyEvent;
  return client.hand({ events: known ?? records.map(read) }, weight);
}

function sinkFor<Item extends EventRecord>(client: SseClient, frames: Frames<Item>, native: boolean): TailSink<Item> {
  return {
    write: (records, live) => written(client, frames(records, native), live),
    gap: () => undefined,
    failed: () => client.cut("over"),
  };
}

/** Leaves out the deltas of all sessions but some. A cursor behind a delta that was left out is that of the event before it. */
function without(
  deltas: ReadonlySet<string>,
  client: SseClient,
  ofAll: Frames<PlacedRecord>,
  ofSome: Frames<PlacedRecord>,
  native: boolean,
): TailSink<PlacedRecord> {
  const isWanted = ({ type, session }: PlacedRecord): boolean => type !== "item.delta" || deltas.has(session);
  return {
    ...sinkFor(client, ofAll, native),
    write: (records, live) => {
      const wanted = records.every(isWanted) ? records : records.filter(isWanted);
      if (wanted.length === 0) return undefined;
      return written(client, (wanted === records ? ofAll : ofSome)(wanted, native), live);
    },
  };
}

/** Nothing follows a session's deletion: a client that comes back for more gets a 404. */
function isDeletion(record: EventRecord): boolean {
  return (
    record.type === "session.ended" &&
    (JSON.parse(record.json) as ParleyEvent & { type: "session.ended" }).data.reason === "deleted"
  );
}

function gapFrame(session: string | null, gap: Gap): Frame {
  return eventsFrame([{ id: formatCursor(session, gap.first - 1), event: "gap", data: JSON.stringify(gap) }]);
}
