import { type Api, isRefused } from "../api.ts";
import type { Reading } from "../decode/state.ts";
import type { Translator } from "../decode/translator.ts";
import type { Hub } from "./hubs.ts";
import type { Reach } from "./reach.ts";

const FETCH_MS = 5_000;

export interface LookOptions {
  hub: Hub;
  translator: Translator;
  reach: Reach;
  take(reading: Reading): void;
}

/** Looks single facts up by the program's REST API, and has the translator learn them. */
export class Looks {
  readonly #options: LookOptions;
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(options: LookOptions) {
    this.#options = options;
  }

  async ask<T>(make: (api: Api) => Promise<T>): Promise<T> {
    const answer = await make(this.#options.hub.api);
    this.#options.reach.heard();
    return answer;
  }

  async session(id: string): Promise<void> {
    const { hub, translator, take } = this.#options;
    const info = await hub.session(id);
    take(translator.found(id, info));
  }

  message(session: string, message: string): Promise<void> {
    const { translator, take } = this.#options;
    const key = `${session}/${message}`;
    const under = this.#fetching.get(key);
    if (under) return under;
    const path = `/session/${encodeURIComponent(session)}/message/${encodeURIComponent(message)}`;
    const fetched = this.ask((api) => api.fields("GET", path, { limitMs: FETCH_MS }))
      .catch((thrown: unknown) => (isRefused(thrown) ? {} : undefined))
      .then((kept) => {
        this.#fetching.delete(key);
        take(translator.fetched(session, message, kept));
      });
    this.#fetching.set(key, fetched);
    return fetched;
  }

  /** Resolves when no message is being looked up. */
  async done(): Promise<void> {
    await Promise.all(this.#fetching.values());
  }

  async asks(): Promise<void> {
    const { translator, take } = this.#options;
    for (const kind of ["permission", "question"] as const) {
      const known = new Set(translator.asks.keys());
      const requests = await this.ask((api) => api.list("GET", `/${kind}`)).catch(() => undefined);
      if (requests) take(translator.learnAsks(kind, requests, known));
    }
  }

  async plan(session: string): Promise<void> {
    const { translator, take } = this.#options;
    const path = `/session/${encodeURIComponent(session)}/todo`;
    const todos = await this.ask((api) => api.list("GET", path)).catch(() => []);
    if (todos.length > 0) take(translator.learnPlan(todos));
  }
}
