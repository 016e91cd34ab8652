import type { ParleyEvent } from "../../src/core/events/event.ts";

/** The kinds of notices, which a person can switch off one by one. */
export const NOTICE_KINDS = ["ask", "failed", "done"] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export const NOTICE_NAMES: Readonly<Record<NoticeKind, string>> = {
  ask: "An agent needs you",
  failed: "A turn failed",
  done: "A turn is done",
};

export interface Notice {
  kind: NoticeKind;
  /** The same event gives the same tag: the browser shows it once. */
  tag: string;
  session: string;
  text: string;
  /** The ask that it calls for. */
  ask?: string;
}

/** The notice that an event is worth, if any. Turns of sub-agents and of the past are none. */
export function noticeOf(event: ParleyEvent): Notice | undefined {
  const tag = event.id;
  const session = event.root ?? event.session;
  switch (event.type) {
    case "permission.requested":
      if (event.data.settledBy) return undefined;
      return {
        kind: "ask",
        tag,
        session,
        text: event.data.command ?? event.data.title ?? event.data.action,
        ask: event.data.ask,
      };
    case "question.requested":
      if (event.data.settledBy) return undefined;
      return {
        kind: "ask",
        tag,
        session,
        text: event.data.questions[0]?.question ?? "A question",
        ask: event.data.ask,
      };
    case "turn.ended": {
      if (event.parent !== undefined) return undefined;
      const { reason, error } = event.data;
      if (reason === "cancelled") return undefined;
      const failed = reason === "error" || reason === "interrupted";
      return { kind: failed ? "failed" : "done", tag, session, text: error?.message ?? reason.replaceAll("_", " ") };
    }
    default:
      return undefined;
  }
}

/** An event that is older than this was missed while the page slept: the board shows it, nobody is called. */
export const FRESH_MS = 30_000;

/**
 * The notices of a tab that does not lead. The tab that leads may be closed before it calls a person: the next one that
 * leads calls for the notices that no tab told of.
 */
export class UncalledNotices {
  readonly #heard = new Map<string, { notice: Notice; time: number }>();
  readonly #called = new Map<string, number>();

  hear(notice: Notice, now: number): void {
    this.#forget(now);
    if (!this.#called.has(notice.tag)) this.#heard.set(notice.tag, { notice, time: now });
  }

  /** The tab that leads has dealt with it. It may tell so before this tab hears of the event. */
  called(tag: string, now: number): void {
    this.#forget(now);
    this.#heard.delete(tag);
    this.#called.set(tag, now);
  }

  isCalled(tag: string): boolean {
    return this.#called.has(tag);
  }

  /** Those that are still fresh, oldest first. They are given once. */
  take(now: number): Notice[] {
    this.#forget(now);
    const fresh = [...this.#heard.values()];
    this.#heard.clear();
    return fresh.map(({ notice }) => notice);
  }

  #forget(now: number): void {
    for (const [tag, { time }] of this.#heard) if (now - time > FRESH_MS) this.#heard.delete(tag);
    for (const [tag, time] of this.#called) if (now - time > FRESH_MS) this.#called.delete(tag);
  }
}

/** The title of the tab: how many wait comes first. */
export function tabTitle(waiting: number, name: string | undefined): string {
  const place = name === undefined ? "Parley" : `${name} · Parley`;
  return waiting > 0 ? `(${waiting}) ${place}` : place;
}
