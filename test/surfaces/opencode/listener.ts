import type { OpencodeEvent } from "../../../src/surfaces/opencode/shapes/event.ts";
import { openStream, type SseReader } from "../../support/sse.ts";
import { Mirror } from "./streams/mirror.ts";

/** An event of /event, or the one inside the envelope of /global/event. */
function opencodeEvents(reader: SseReader): OpencodeEvent[] {
  return (reader.events as unknown[]).map((data) => {
    const { payload } = data as { payload?: OpencodeEvent };
    return payload ?? (data as OpencodeEvent);
  });
}

/** A client that listens, goes away and comes back, and believes all it hears. */
export class Listener {
  readonly mirror = new Mirror();
  /** All it heard, with the ids of the stream. */
  readonly log: { event: OpencodeEvent; id: string | undefined }[] = [];
  url: string;
  private reader: SseReader | undefined;
  private taken = 0;
  lastId: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  async connect({ resume = false } = {}): Promise<void> {
    this.taken = 0;
    this.reader = await openStream(this.url, resume && this.lastId ? { "last-event-id": this.lastId } : {});
    await this.until((event) => event.type === "server.connected", "server.connected");
  }

  /** Takes what has come, one by one, up to the first event that fits. */
  async until(fits: (event: OpencodeEvent) => boolean, what: string): Promise<OpencodeEvent> {
    const { reader } = this;
    if (!reader) throw new Error("connect first");
    return reader.when(() => {
      const events = opencodeEvents(reader);
      while (this.taken < events.length) {
        const event = events[this.taken];
        this.lastId = reader.ids[this.taken] || this.lastId;
        this.taken++;
        if (!event) continue;
        this.log.push({ event, id: reader.ids[this.taken - 1] });
        this.mirror.take(event);
        if (fits(event)) return event;
      }
      return undefined;
    }, what);
  }

  get heard(): OpencodeEvent[] {
    return this.log.map(({ event }) => event);
  }

  idle(session: string): Promise<OpencodeEvent> {
    const what = `${session} to be idle`;
    return this.until((event) => event.type === "session.idle" && event.properties.sessionID === session, what);
  }

  async leave(): Promise<void> {
    await this.reader?.close();
  }
}
