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
}

/** The notice that an event is worth, if any. Turns of sub-agents and of the past are none. */
export function noticeOf(event: ParleyEvent): Notice | undefined {
  const tag = event.id;
  const session = event.root ?? event.session;
  switch (event.type) {
    case "permission.requested":
      if (event.data.settledBy) return undefined;
      return { kind: "ask", tag, session, text: event.data.command ?? event.data.title ?? event.data.action };
    case "question.requested":
      if (event.data.settledBy) return undefined;
      return { kind: "ask", tag, session, text: event.data.questions[0]?.question ?? "A question" };
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

/** The title of the tab: how many wait comes first. */
export function tabTitle(waiting: number, name: string | undefined): string {
  const place = name === undefined ? "Parley" : `${name} · Parley`;
  return waiting > 0 ? `(${waiting}) ${place}` : place;
}
