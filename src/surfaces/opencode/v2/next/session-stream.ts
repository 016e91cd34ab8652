import type { IncomingMessage, ServerResponse } from "node:http";
import type { EventOf, ParleyEvent } from "../../../../core/events/event.ts";
import type { EventRecord, Log } from "../../../../log/contract.ts";
import { tail } from "../../../../log/tail.ts";
import { eventsFrame } from "../../../stream/frame.ts";
import type { Surface } from "../../context.ts";
import { DurableReader } from "./durable.ts";

const PAGE = 256;

export interface HistoryPage {
  /** Events as JSON. */
  events: string[];
  hasMore: boolean;
}

/** The kept events of a session after a number, the oldest first. */
export async function historyPage(log: Log, session: string, after: number, limit: number): Promise<HistoryPage> {
  const opened = await DurableReader.open(log, session, after);
  const events: string[] = [];
  if (!opened) return { events, hasMore: false };
  const [reader, from] = opened;
  for (let cursor = from; ; ) {
    const records = await log.read(session, { after: cursor, limit: PAGE });
    events.push(...reader.take(records).map(({ json }) => json));
    if (events.length > limit) return { events: events.slice(0, limit), hasMore: true };
    if (records.length < PAGE) return { events, hasMore: false };
    cursor = records.at(-1)?.seq ?? cursor;
  }
}

export interface SessionStream {
  request: IncomingMessage;
  response: ServerResponse;
  session: string;
  after: number;
}

/** Sends the kept events of a session after a number, then new ones as they are stored. A client is a cursor, as on every stream. */
export async function followSession({ gateway, clients }: Surface, stream: SessionStream): Promise<void> {
  const { request, response, session, after } = stream;
  const { log, attachments } = gateway;
  const opened = await DurableReader.open(log, session, after);
  if (!opened || response.destroyed || request.socket.destroyed) return;
  const [reader, from] = opened;
  const client = clients.open(request, response);
  const detach = attachments.attach(session);
  const following = tail(
    log,
    session,
    { after: from },
    {
      write: (records) => {
        const events = reader.take(records).map(({ number, json }) => ({ id: String(number), data: json }));
        const free = events.length === 0 || client.write(eventsFrame(events));
        if (records.some(isDeletion)) client.cut("over");
        return free ? undefined : client.drained();
      },
      // Events that are no longer kept are not told: the messages that are left are read by their own operation.
      gap: () => undefined,
      failed: () => client.cut("over"),
    },
  );
  client.onClose(() => {
    following.close();
    detach();
  });
}

/** Nothing follows a session's deletion: a client that comes back for more gets a 404. */
function isDeletion({ type, json }: EventRecord): boolean {
  if (type !== "session.ended") return false;
  return (JSON.parse(json) as ParleyEvent & EventOf<"session.ended">).data.reason === "deleted";
}
