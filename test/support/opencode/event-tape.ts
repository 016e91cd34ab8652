import { deadline, PATIENCE_MS } from "../time.ts";
/** An event as any of OpenCode's clients sees it. */
export interface TapedEvent {
  type: string;
  properties: Record<string, unknown>;
  [more: string]: unknown;
}

/** Records a stream of events, and lets tests wait for an event. */
export class EventTape {
  readonly events: TapedEvent[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #stop: AbortController;
  readonly done: Promise<void>;

  constructor(stream: AsyncIterable<unknown>, stop: AbortController) {
    this.#stop = stop;
    this.done = this.#read(stream);
  }

  async #read(stream: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const event of stream) {
        this.events.push(event as TapedEvent);
        for (const look of [...this.#watchers]) look();
      }
    } catch (thrown) {
      if (!this.#stop.signal.aborted) throw thrown;
    }
  }

  /** The first event that fits, from `from` on; it may have come already. */
  until(what: string, fits: (event: TapedEvent) => boolean, from = 0): Promise<TapedEvent> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.events.slice(from).find(fits);
        if (!found) return;
        late[Symbol.dispose]();
        this.#watchers.delete(look);
        resolve(found);
      };
      const late = deadline(() => {
        this.#watchers.delete(look);
        const came = this.events.slice(from).map(({ type }) => type);
        reject(new Error(`${what} did not come within ${PATIENCE_MS} ms; there came: ${came.join(", ")}`));
      });
      this.#watchers.add(look);
      look();
    });
  }

  idle(session: string, from = 0): Promise<TapedEvent> {
    const fits = ({ type, properties }: TapedEvent) => type === "session.idle" && properties.sessionID === session;
    return this.until(`session.idle of ${session}`, fits, from);
  }

  /** The events of a session, by type. */
  types(session: string, from = 0): string[] {
    return this.events
      .slice(from)
      .filter(({ properties }) => properties?.sessionID === session)
      .map(({ type }) => type);
  }

  /** The texts of a session's assistant, as a client that applies the events shows them. */
  texts(session: string): string[] {
    const roles = new Map<string, string>();
    const parts = new Map<string, { messageID: string; text: string }>();
    for (const { type, properties } of this.events) {
      if (properties?.sessionID !== session) continue;
      if (type === "message.updated") {
        const { id, role } = properties.info as { id: string; role: string };
        roles.set(id, role);
      }
      if (type === "message.part.updated") {
        const part = properties.part as { id: string; type: string; messageID: string; text: string };
        if (part.type === "text") parts.set(part.id, part);
      }
      if (type === "message.part.delta") {
        const { partID, delta } = properties as { partID: string; delta: string };
        const part = parts.get(partID);
        if (part) parts.set(partID, { ...part, text: part.text + delta });
      }
    }
    return [...parts.values()].filter((part) => roles.get(part.messageID) === "assistant").map((part) => part.text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.done;
  }
}
