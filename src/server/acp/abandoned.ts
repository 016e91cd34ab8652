import type { ServerResponse } from "node:http";

/** A client holds the stream of its connection open all the time; one without a request for so long has gone. */
const GONE_MS = 60_000;

/**
 * Connections over HTTP have no socket of their own whose end could tell that their client has gone. Each is ended when
 * none of its requests was open for a while.
 */
export class AbandonedConnections {
  readonly #end: (connection: string) => void;
  readonly #goneMs: number;
  readonly #known = new Map<string, { requests: number; timer?: NodeJS.Timeout }>();

  constructor(end: (connection: string) => void, goneMs = GONE_MS) {
    this.#end = end;
    this.#goneMs = goneMs;
  }

  /** Counts a request until its response is over. One that names no connection may have made one. */
  watch(named: string | undefined, response: ServerResponse): void {
    if (named === undefined) {
      response.once("close", () => {
        const made = response.getHeader("acp-connection-id");
        if (typeof made === "string") this.#rest(made, { requests: 0 });
      });
      return;
    }
    const known = this.#known.get(named);
    if (!known) return;
    known.requests += 1;
    clearTimeout(known.timer);
    response.once("close", () => {
      known.requests -= 1;
      if (known.requests === 0 && this.#known.get(named) === known) this.#rest(named, known);
    });
  }

  /** Its client ends a connection itself. */
  forget(connection: string): void {
    clearTimeout(this.#known.get(connection)?.timer);
    this.#known.delete(connection);
  }

  #rest(connection: string, known: { requests: number; timer?: NodeJS.Timeout }): void {
    this.#known.set(connection, known);
    known.timer = setTimeout(() => {
      this.#known.delete(connection);
      this.#end(connection);
    }, this.#goneMs).unref();
  }

  close(): void {
    for (const { timer } of this.#known.values()) clearTimeout(timer);
    this.#known.clear();
  }
}
