import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type Fields, isFields, jsonIn, textIn } from "../../../core/json/fields.ts";
import type { Api } from "../api.ts";
import { createSseLines } from "./sse-lines.ts";

/** The program sends a heartbeat every 10 s: a connection that brings nothing for so long is dead. */
const SILENCE_MS = 30_000;
const CONNECT_MS = 15_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** Ids of events that were heard: a proxy may deliver one twice. */
const REMEMBERED = 2_000;

export interface StreamEvents {
  event(event: Fields, text: string): void;
  /** Events may be missing from now on until it is connected again. */
  lost(): void;
  /** All events from now on will come, if the connection holds. */
  connected(): void;
}

export interface StreamTimes {
  silenceMs?: number;
}

/** The events of a directory. It connects again, with growing pauses, for as long as it is not closed. */
export class EventStream {
  readonly #api: Api;
  readonly #events: StreamEvents;
  readonly #silenceMs: number;
  readonly #closing = new AbortController();
  readonly #heard = new Set<string>();
  #ready = Promise.withResolvers<void>();
  #isConnected = false;

  constructor(api: Api, events: StreamEvents, { silenceMs = SILENCE_MS }: StreamTimes = {}) {
    this.#api = api;
    this.#events = events;
    this.#silenceMs = silenceMs;
    void this.#run();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Resolves when it is connected. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures++) {
      await this.#listen().catch(() => {});
      if (this.#isConnected) {
        failures = 0;
        this.#isConnected = false;
        this.#ready = Promise.withResolvers();
        if (!signal.aborted) this.#events.lost();
      }
      const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 20), LONGEST_PAUSE_MS);
      await delay(pause * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {});
    }
  }

  /** Listens until the connection ends. */
  async #listen(): Promise<void> {
    const attempt = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, attempt.signal]);
    let timer = setTimeout(() => attempt.abort(), CONNECT_MS);
    try {
      const response = await this.#api.open("GET", "/event", { signal });
      if (response.statusCode !== 200 || !response.headers["content-type"]?.startsWith("text/event-stream")) {
        response.resume();
        return;
      }
      await this.#read(response, () => {
        clearTimeout(timer);
        timer = setTimeout(() => attempt.abort(), this.#silenceMs);
      });
    } finally {
      clearTimeout(timer);
      attempt.abort();
    }
  }

  #read(response: IncomingMessage, onBytes: () => void): Promise<void> {
    const lines = createSseLines(
      (text) => this.#hear(text),
      () => {
        this.#events.lost();
        this.#events.connected();
      },
    );
    return new Promise((resolve) => {
      response.on("data", (chunk: Buffer) => {
        onBytes();
        lines.push(chunk);
      });
      response.on("error", () => resolve());
      response.on("close", () => resolve());
    });
  }

  #hear(text: string): void {
    if (this.#closing.signal.aborted) return;
    const event = jsonIn(text);
    if (!isFields(event) || this.#isRepeat(textIn(event, "id"))) return;
    if (event.type === "server.connected") this.#connected();
    else this.#events.event(event, text);
  }

  #connected(): void {
    this.#isConnected = true;
    this.#ready.resolve();
    this.#events.connected();
  }

  #isRepeat(id: string | undefined): boolean {
    if (id === undefined) return false;
    if (this.#heard.has(id)) return true;
    this.#heard.add(id);
    if (this.#heard.size > REMEMBERED) {
      const [oldest = ""] = this.#heard;
      this.#heard.delete(oldest);
    }
    return false;
  }
}
