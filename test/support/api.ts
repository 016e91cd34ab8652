import assert from "node:assert/strict";
import type { ErrorCode } from "../../src/core/errors.ts";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Outcome, Receipt } from "../../src/core/receipt.ts";
import type { PendingAsk } from "../../src/gateway/requests.ts";
import type { SessionView } from "../../src/surfaces/universal/views.ts";
import { assertAsDescribed } from "./contract.ts";
import { openStream, type SseReader } from "./sse.ts";

export type Detail = SessionView & { last: number; first: number };

export interface EventPage {
  events: ParleyEvent[];
  next: number;
  more: boolean;
  gap?: { after: number; first: number; snapshot: SessionView };
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

interface Sent {
  headers?: Record<string, string>;
  /** A body as it is, in place of JSON. */
  raw?: string;
}

/** A plain client of the universal API that holds every answer against the API's description. */
export class Api {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string | null = null) {
    this.url = url;
    this.headers = token === null ? {} : { authorization: `Bearer ${token}` };
  }

  async call<T>(method: string, path: string, body?: unknown, sent: Sent = {}): Promise<Answer<T>> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...sent.headers,
      },
      body: sent.raw ?? json,
    });
    const text = await response.text();
    const { status, headers } = response;
    const received = { method, path, status, headers, body: text === "" ? undefined : (JSON.parse(text) as unknown) };
    assertAsDescribed(received);
    return { status, headers, body: received.body as T };
  }

  /** The body of an answer that must have this status. */
  async expect<T>(status: number, method: string, path: string, body?: unknown, sent?: Sent): Promise<T> {
    const answer = await this.call<T>(method, path, body, sent);
    assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The problem of a request that must be refused, with this code. */
  async refused(code: ErrorCode, method: string, path: string, body?: unknown, sent?: Sent): Promise<Problem> {
    const answer = await this.call<Problem>(method, path, body, sent);
    assert.equal(answer.body?.code, code, `${method} ${path} -> ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  create(facts: object = {}): Promise<Detail> {
    return this.expect(201, "POST", "/v1/sessions", facts);
  }

  session(id: string): Promise<Detail> {
    return this.expect(200, "GET", `/v1/sessions/${id}`);
  }

  prompt(id: string, body: string | object): Promise<Receipt> {
    return this.expect(202, "POST", `/v1/sessions/${id}/prompts`, typeof body === "string" ? { text: body } : body);
  }

  /** Gives a prompt and waits for the outcome of its turn. */
  ask(id: string, body: string | object): Promise<Outcome> {
    const path = `/v1/sessions/${id}/prompts?wait=true`;
    return this.expect(200, "POST", path, typeof body === "string" ? { text: body } : body);
  }

  cancel(id: string, body?: object): Promise<{ cancelled: boolean; turn?: string }> {
    return this.expect(200, "POST", `/v1/sessions/${id}/cancel`, body);
  }

  async asks(id?: string): Promise<PendingAsk[]> {
    const path = id === undefined ? "/v1/asks" : `/v1/sessions/${id}/asks`;
    return (await this.expect<{ asks: PendingAsk[] }>(200, "GET", path)).asks;
  }

  page(id: string, query = ""): Promise<EventPage> {
    return this.expect(200, "GET", `/v1/sessions/${id}/events${query}`);
  }

  /** All events of a session, page by page. */
  async events(id: string, limit = 2_000): Promise<ParleyEvent[]> {
    const all: ParleyEvent[] = [];
    for (let next = 0; ; ) {
      const page = await this.page(id, `?after=${next}&limit=${limit}`);
      all.push(...page.events);
      if (!page.more) return all;
      next = page.next;
    }
  }

  /** The stream of a session, or of all of them. */
  stream(id: string | null, query = "", headers: Record<string, string> = {}): Promise<SseReader> {
    const path = id === null ? "/v1/stream" : `/v1/sessions/${id}/stream`;
    return openStream(`${this.url}${path}${query}`, { ...this.headers, ...headers });
  }
}
