import { effect, untracked } from "@preact/signals";
import type { ParleyEvent } from "../../src/core/events/event.ts";
import {
  FRESH_MS,
  NOTICE_KINDS,
  NOTICE_NAMES,
  type Notice,
  type NoticeKind,
  noticeOf,
  tabTitle,
  UncalledNotices,
} from "../model/notices.ts";
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

const uncalled = new UncalledNotices();
/** Tells the other tabs which notices the leading one has dealt with. */
const channel = new BroadcastChannel("parley.notices");
channel.onmessage = ({ data }) => uncalled.called(String(data), Date.now());

function isOver({ ask }: Notice): boolean {
  return ask !== undefined && !openAsks.peek().some((shown) => shown.ask.id === ask);
}

function call(notice: Notice): void {
  channel.postMessage(notice.tag);
  uncalled.called(notice.tag, Date.now());
  const { kinds, sound } = noticeChoice.now.peek();
  if (!kinds.includes(notice.kind) || looksAt(notice.session) || isOver(notice)) return;
  try {
    if (sound) playNotice(notice.kind);
    if (!document.hasFocus() && noticesPossible() && Notification.permission === "granted") show(notice);
  } catch {
    // Some browsers have notifications and refuse to show any: the board shows it all the same.
  }
}

/** Takes an event of the stream of all sessions. A tab that has just got the lead hears again of what the last one called for. */
export function takeForNotices(event: ParleyEvent): void {
  const notice = noticeOf(event);
  if (!notice || Date.now() - event.time > FRESH_MS || uncalled.isCalled(notice.tag)) return;
  if (leads.peek()) call(notice);
  else uncalled.hear(notice, Date.now());
}

/** A tab that gets the lead calls for what came after the last leader was gone. */
export function keepCalling(): void {
  effect(() => {
    if (!leads.value) return;
    for (const notice of uncalled.take(Date.now())) untracked(() => call(notice));
  });
}

/** The title of the tab counts who needs you. */
export function keepTitle(): void {
  effect(() => {
    const now = route.value;
    const state = now.page === "session" ? stateOf(now.session)?.value : undefined;
    document.title = tabTitle(openAsks.value.length, state?.title);
  });
}
