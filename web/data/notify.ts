import { effect } from "@preact/signals";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import { NOTICE_KINDS, NOTICE_NAMES, type Notice, type NoticeKind, noticeOf, tabTitle } from "../model/notices.ts";
import { openAsks } from "./asks.ts";
import { kept } from "./kept.ts";
import { leads } from "./leader.ts";
import { go, route } from "./navigation.ts";
import { stateOf } from "./sessions.ts";

/** A person's choice: the kinds of notices, and whether they are heard. */
export interface NoticeChoice {
  kinds: readonly NoticeKind[];
  sound: boolean;
}

function isChoice(value: unknown): value is NoticeChoice {
  if (typeof value !== "object" || value === null || !("kinds" in value) || !("sound" in value)) return false;
  const { kinds, sound } = value;
  return typeof sound === "boolean" && Array.isArray(kinds) && kinds.every((kind) => NOTICE_KINDS.includes(kind));
}

export const noticeChoice = kept<NoticeChoice>("notices", { kinds: [...NOTICE_KINDS], sound: false }, isChoice);

/** Whether the browser shows notices: they need https, or this machine itself. */
export function noticesPossible(): boolean {
  return "Notification" in globalThis && isSecureContext;
}

/** An event that is older than this was missed while the page slept: the board shows it, nobody is called. */
const FRESH_MS = 30_000;
const TONES: Readonly<Record<NoticeKind, readonly number[]>> = { ask: [880, 1175], failed: [330, 247], done: [660] };
const TONE_S = 0.14;

let audio: AudioContext | undefined;

/** The sound of a kind of notice. */
export function playNotice(kind: NoticeKind): void {
  audio ??= new AudioContext();
  const { destination, currentTime } = audio;
  for (const [at, frequency] of TONES[kind].entries()) {
    const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
    const begins = currentTime + at * TONE_S;
    tone.frequency.value = frequency;
    loudness.gain.setValueAtTime(0.08, begins);
    loudness.gain.exponentialRampToValueAtTime(0.001, begins + TONE_S);
    tone.connect(loudness).connect(destination);
    tone.start(begins);
    tone.stop(begins + TONE_S);
  }
}

function show({ kind, tag, session, text }: Notice): void {
  const name = stateOf(session)?.value.title ?? session;
  const notice = new Notification(`${NOTICE_NAMES[kind]}: ${name}`, { body: text.slice(0, 200), tag });
  notice.onclick = () => {
    focus();
    go({ page: "session", session, tab: "transcript" });
    notice.close();
  };
}

/** Whether a person looks at this very session now. */
function looksAt(session: string): boolean {
  const now = route.value;
  return document.hasFocus() && now.page === "session" && now.session === session;
}

/** Takes an event of the stream of all sessions. */
export function takeForNotices(event: ParleyEvent): void {
  if (!leads.value) return;
  const notice = noticeOf(event);
  const { kinds, sound } = noticeChoice.now.value;
  if (!notice || !kinds.includes(notice.kind) || looksAt(notice.session)) return;
  if (Date.now() - event.time > FRESH_MS) return;
  if (sound) playNotice(notice.kind);
  if (!document.hasFocus() && noticesPossible() && Notification.permission === "granted") show(notice);
}

/** The title of the tab counts who needs you. */
export function keepTitle(): void {
  effect(() => {
    const now = route.value;
    const state = now.page === "session" ? stateOf(now.session)?.value : undefined;
    document.title = tabTitle(openAsks.value.length, state?.title);
  });
}
