import type { IncomingMessage, ServerResponse } from "node:http";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { LogRecord } from "../../log/contract.ts";
import { formatCursor } from "../../log/cursor.ts";
import { tail } from "../../log/tail.ts";
import { eventsFrame, type Frame } from "../stream/frame.ts";
import type { SseClients } from "../stream/sse-clients.ts";
import { damageGap, type Gap, type Start } from "./cursor.ts";
import { wireJson } from "./wire.ts";

interface Cached {
  count: number;
  frame: Frame;
}

/** Makes the bytes of a commit once, however many clients get them. */
class FrameCache {
  private readonly frames = new WeakMap<LogRecord, Cached>();
  private readonly all: boolean;

  constructor(all: boolean) {
    this.all = all;
  }

  frame(records: readonly LogRecord[]): Frame {
    const [first] = records;
    if (!first) return eventsFrame([]);
    const cached = this.frames.get(first);
    if (cached?.count === records.length) return cached.frame;
    const frame = frameOfRecords(records, this.all, false);
    this.frames.set(first, { count: records.length, frame });
    return frame;
  }
}

function frameOfRecords(records: readonly LogRecord[], all: boolean, native: boolean): Frame {
  return eventsFrame(
    records.map((record) => ({
      id: all ? formatCursor(null, record.position) : formatCursor(record.session, record.seq),
      data: wireJson(record, native),
    })),
  );
}

export interface StreamRequest {
  request: IncomingMessage;
  response: ServerResponse;
  session: string | null;
  start: Start;
  native: boolean;
}

/** Event streams over the log: each client is a cursor, not a queue. */
export class EventStreams {
  private readonly gateway: Gateway;
  private readonly clients: SseClients;
  private readonly caches = { one: new FrameCache(false), all: new FrameCache(true) };

  constructor(gateway: Gateway, clients: SseClients) {
    this.gateway = gateway;
    this.clients = clients;
  }

  open({ request, response, session, start, native }: StreamRequest): void {
    const client = this.clients.open(request, response);
    const detach = this.gateway.attachments.attach(session);
    const cache = session === null ? this.caches.all : this.caches.one;
    const frame = (records: readonly LogRecord[]): Frame =>
      native ? frameOfRecords(records, session === null, true) : cache.frame(records);
    if (start.gap) client.write(gapFrame(session, start.gap));
    const following = tail(
      this.gateway.log,
      { session, after: start.after, native },
      {
        write: (records) => {
          const takesMore = client.write(frame(records));
          if (session !== null && records.some(isDeletion)) client.cut("over");
          return takesMore ? undefined : client.drained();
        },
        gap: async (after, next) => {
          const gap = session === null ? undefined : await damageGap(this.gateway, session, after, next.seq);
          // Old turns were dropped while this client was still reading them: it comes back and is told by a gap.
          if (gap) client.write(gapFrame(session, gap));
          else client.cut("over");
        },
        failed: () => client.cut("over"),
      },
    );
    client.onClose(() => {
      following.close();
      detach();
    });
  }
}

/** Nothing follows a session's deletion: a client that comes back for more gets a 404. */
function isDeletion(record: LogRecord): boolean {
  return (
    record.type === "session.ended" &&
    (JSON.parse(record.json) as ParleyEvent & { type: "session.ended" }).data.reason === "deleted"
  );
}

function gapFrame(session: string | null, gap: Gap): Frame {
  return eventsFrame([{ id: formatCursor(session, gap.first - 1), event: "gap", data: JSON.stringify(gap) }]);
}
