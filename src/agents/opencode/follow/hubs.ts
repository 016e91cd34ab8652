import { type Fields, fieldsIn, textIn } from "../../../core/json/fields.ts";
import { Api, isRefused } from "../api.ts";
import type { RunningServer } from "../serve/contract.ts";
import { EventStream, type StreamEvents } from "./event-stream.ts";

/** A session that listens to the events of its directory. */
export interface Listener extends StreamEvents {
  /** Whether a session of the program's belongs to it. */
  owns(session: string): boolean;
}

/** The events of one directory of one server, for all sessions that work there. */
export class Hub {
  readonly api: Api;
  readonly #listeners = new Set<Listener>();
  readonly #lookups = new Map<string, Promise<Fields | undefined>>();
  readonly #onEmpty: () => void;
  readonly #stream: EventStream;

  constructor(server: RunningServer, directory: string, onEmpty: () => void) {
    this.api = new Api(server, directory);
    this.#onEmpty = onEmpty;
    this.#stream = new EventStream(this.api, {
      event: (event, text) => this.#deliver(event, text),
      lost: () => {
        for (const one of this.#listeners) one.lost();
      },
      connected: () => {
        for (const one of this.#listeners) one.connected();
      },
    });
  }

  /** Resolves when events come. */
  ready(): Promise<void> {
    return this.#stream.ready();
  }

  get isConnected(): boolean {
    return this.#stream.isConnected;
  }

  join(listener: Listener): void {
    this.#listeners.add(listener);
  }

  leave(listener: Listener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    this.#stream.close();
    this.#onEmpty();
  }

  /** A session of the program's, which all listeners may ask for at once. Empty where the program does not know it, undefined where it cannot be asked. */
  session(id: string): Promise<Fields | undefined> {
    const known = this.#lookups.get(id);
    if (known) return known;
    const path = `/session/${encodeURIComponent(id)}`;
    const asked = this.api.fields("GET", path).catch((thrown: unknown) => (isRefused(thrown) ? {} : undefined));
    this.#lookups.set(id, asked);
    void asked.then(() => this.#lookups.delete(id));
    return asked;
  }

  /** An event goes to the listener that it is for; one about a session that nobody owns goes to all. */
  #deliver(event: Fields, text: string): void {
    const properties = fieldsIn(event, "properties");
    const id = textIn(properties, "sessionID");
    const all = [...this.#listeners];
    const owner = id === undefined ? undefined : all.find((one) => one.owns(id));
    for (const one of owner ? [owner] : all) one.event(event, text);
  }
}

/** The hubs in use: one for each directory of each server. */
export class Hubs {
  readonly #hubs = new Map<RunningServer, Map<string, Hub>>();

  of(server: RunningServer, directory: string): Hub {
    const known = this.#hubs.get(server) ?? new Map<string, Hub>();
    this.#hubs.set(server, known);
    const hub = known.get(directory) ?? new Hub(server, directory, () => this.#forget(server, directory));
    known.set(directory, hub);
    return hub;
  }

  #forget(server: RunningServer, directory: string): void {
    const known = this.#hubs.get(server);
    known?.delete(directory);
    if (known?.size === 0) this.#hubs.delete(server);
  }
}
