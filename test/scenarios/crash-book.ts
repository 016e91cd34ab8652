import assert from "node:assert/strict";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import type { Receipt } from "../../src/core/receipt.ts";
import type { Api } from "../support/api.ts";
import { assertLaws, assertNoGap } from "../support/laws.ts";

const plain = ({ folded: _, ...event }: ParleyEvent): string => JSON.stringify(event);

/** Everything that a client was ever told, by an answer or by a stream: none of it may be lost or changed. */
export class Book {
  /** Events that a stream brought, by session and number. */
  private readonly events = new Map<string, Map<number, { type: string; json: string }>>();
  private readonly receipts = new Map<string, Receipt[]>();
  private readonly cancelled = new Set<string>();
  private readonly titles = new Map<string, string[]>();
  private readonly deleted = new Set<string>();
  /** Sessions whose deletion was asked for: whether they are there is open until it was acknowledged. */
  private readonly doubtful = new Set<string>();
  /** The sessions that sub-agents belong to, with which they are deleted. */
  private readonly roots = new Map<string, string>();

  get sessions(): string[] {
    return [...this.events.keys()].filter((id) => !this.doubtful.has(this.roots.get(id) ?? id));
  }

  get size(): number {
    return [...this.events.values()].reduce((sum, events) => sum + events.size, 0);
  }

  created(session: string): void {
    if (!this.events.has(session)) this.events.set(session, new Map());
  }

  saw(event: ParleyEvent): void {
    this.created(event.session);
    if (event.root !== undefined) this.roots.set(event.session, event.root);
    const known = this.events.get(event.session);
    const before = known?.get(event.seq);
    if (before) assert.equal(plain(event), before.json, `${event.id} came twice, and differently`);
    known?.set(event.seq, { type: event.type, json: plain(event) });
  }

  accepted(session: string, receipt: Receipt): void {
    this.receipts.set(session, [...(this.receipts.get(session) ?? []), receipt]);
  }

  stopped(turn: string): void {
    this.cancelled.add(turn);
  }

  renamed(session: string, title: string): void {
    this.titles.set(session, [...(this.titles.get(session) ?? []), title]);
  }

  deleting(session: string): void {
    this.doubtful.add(session);
  }

  gone(session: string): void {
    this.deleted.add(session);
  }

  /** Holds the server against the book. `since` is when it started: a turn that is open began after that. */
  async check(api: Api, since: number): Promise<void> {
    for (const id of this.deleted) await api.refused("session_not_found", "GET", `/v1/sessions/${id}`);
    for (const id of this.sessions) await this.checkSession(api, id, since);
  }

  private async checkSession(api: Api, id: string, since: number): Promise<void> {
    const events = await api.events(id);
    assertNoGap(events);
    assertLaws(id, events, { cancelled: this.cancelled });
    this.checkEvents(id, events);
    for (const receipt of this.receipts.get(id) ?? []) {
      const event = events.find((one) => one.seq === receipt.seq);
      assert.ok(
        event && JSON.stringify(event.data).includes(receipt.prompt),
        `${id}: ${JSON.stringify(receipt)} is lost`,
      );
    }
    const ended = new Set(events.flatMap((event) => (event.type === "turn.ended" ? [event.turn] : [])));
    const open = events.filter((event) => event.type === "turn.started" && !ended.has(event.turn));
    for (const event of open) assert.ok(event.time >= since, `${event.id} is of a turn that the crash left open`);
    // A rename whose answer the kill cut off may stand after the ones that were acknowledged.
    const names = events.flatMap((event) => (event.type === "session.updated" ? [event.data.title] : []));
    for (const title of this.titles.get(id) ?? []) assert.ok(names.includes(title), `${id}: the name ${title} is lost`);
  }

  /** Each event of a stream is still there, unchanged. A delta may be gone when the completed item holds it. */
  private checkEvents(id: string, stored: readonly ParleyEvent[]): void {
    const kept = new Map(stored.map((event) => [event.seq, plain(event)]));
    const folded = new Set(
      stored.flatMap(({ seq, folded: count = 0 }) => Array.from({ length: count }, (_, back) => seq - 1 - back)),
    );
    for (const [seq, { type, json }] of this.events.get(id) ?? []) {
      const there = kept.get(seq);
      if (there !== undefined) assert.equal(there, json, `${id}:${seq} was changed`);
      else assert.ok(type === "item.delta" && folded.has(seq), `${id}:${seq} ${type} is lost`);
    }
  }

  /** Each prompt that was accepted has had its turn, or was withdrawn; nothing is open. Returns how many turns were interrupted. */
  async checkAtRest(api: Api): Promise<number> {
    let interrupted = 0;
    for (const id of this.sessions) {
      const events = await api.events(id);
      assertLaws(id, events, { final: true, cancelled: this.cancelled });
      interrupted += events.filter(
        (event) => event.type === "turn.ended" && event.data.reason === "interrupted",
      ).length;
      for (const { prompt } of this.receipts.get(id) ?? []) {
        const begun = events.find((event) => event.type === "turn.started" && event.data.prompt?.id === prompt);
        const over = events.some(
          (event) =>
            (event.type === "turn.ended" && event.turn === begun?.turn) ||
            (event.type === "prompt.withdrawn" && event.data.prompt === prompt),
        );
        assert.ok(over, `${id}: the prompt ${prompt} was accepted and has no end`);
      }
    }
    return interrupted;
  }
}
