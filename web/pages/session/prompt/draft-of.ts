import { type Signal, signal } from "@preact/signals";
import { drafts } from "../../../data/kept.ts";
import type { Attachment } from "../../../model/draft.ts";

/** What is being written in one session. It is made for that session, and can be sent to no other. */
export interface SessionDraft {
  readonly session: string;
  readonly text: Signal<string>;
  readonly attachments: Signal<readonly Attachment[]>;
  /** Paths that were chosen behind an @. */
  readonly files: Signal<readonly string[]>;
  write(text: string): void;
}

const open = new Map<string, SessionDraft>();

export function draftOf(session: string): SessionDraft {
  const known = open.get(session);
  if (known) return known;
  const draft: SessionDraft = {
    session,
    text: signal(drafts.get(session)),
    attachments: signal([]),
    files: signal([]),
    write(text) {
      draft.text.value = text;
      drafts.set(session, text);
    },
  };
  open.set(session, draft);
  return draft;
}
