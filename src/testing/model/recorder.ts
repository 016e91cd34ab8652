import { jsonIn } from "../../core/json/fields.ts";
import type { Answer, Asked } from "./respond.ts";

const KEPT = 10_000;

export interface RecordedRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Parsed, where it is JSON. */
  body: unknown;
  /** The HTTP status; 0 when the connection broke before any. */
  status: number;
  format?: "anthropic" | "responses" | "chat" | "gemini";
  marker?: string;
  step?: number;
  attempt?: number;
  /** `left`: the client went away before the end. */
  outcome: "pending" | "done" | "cut" | "left";
}

/** Keeps the requests, the answers that hold, and the tests that wait for either. */
export class Recorder {
  readonly requests: RecordedRequest[] = [];
  readonly held = new Set<string>();
  readonly #released = new Set<string>();
  #watchers: (() => void)[] = [];

  begin(asked: Asked, answer: Answer): RecordedRequest {
    const { method, path, headers } = asked;
    const status = answer.silent ? 0 : answer.status;
    const body = jsonIn(asked.body) ?? asked.body;
    const request: RecordedRequest = { method, path, headers, body, status, ...answer.from, outcome: "pending" };
    this.requests.push(request);
    if (this.requests.length > KEPT) this.requests.shift();
    this.#changed();
    return request;
  }

  end(request: RecordedRequest, outcome: RecordedRequest["outcome"]): void {
    request.outcome = outcome;
    this.#changed();
  }

  release(name: string): void {
    this.#released.add(name);
    this.#changed();
  }

  /** Waits until the condition holds; it is looked at whenever something changes. */
  until(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (signal?.aborted) reject(signal.reason);
        else if (condition()) resolve();
        else return;
        this.#watchers = this.#watchers.filter((watcher) => watcher !== look);
      };
      this.#watchers.push(look);
      signal?.addEventListener("abort", look, { once: true });
      look();
    });
  }

  async hold(name: string, signal: AbortSignal): Promise<void> {
    if (this.#released.has(name)) return;
    this.held.add(name);
    this.#changed();
    try {
      await this.until(() => this.#released.has(name), signal);
    } finally {
      this.held.delete(name);
      this.#changed();
    }
  }

  #changed(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}
