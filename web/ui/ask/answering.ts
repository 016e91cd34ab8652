import { signal } from "@preact/signals";
import { type Ask, type AskAnswer, ParleyApiError } from "../../../src/client/index.ts";
import { api } from "../../data/api.ts";
import { attempt, say } from "../toasts.tsx";

/** Asks whose answer is on its way: its buttons do nothing meanwhile. */
const sending = signal<ReadonlySet<string>>(new Set());

export function isSending(ask: string): boolean {
  return sending.value.has(ask);
}

function mark(ask: string, on: boolean): void {
  const next = new Set(sending.value);
  if (on) next.add(ask);
  else next.delete(ask);
  sending.value = next;
}

const TRIES = 4;
const PAUSE_MS = 700;

/** Sends an answer. A repeat is harmless: the first answer wins, and ours is recognised as ours. */
async function send(ask: Ask, answer: AskAnswer): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await api.session(ask.session).answer(ask.id, answer);
      return;
    } catch (error) {
      if (error instanceof ParleyApiError && error.code === "already_answered") {
        // The event tells by whom; where the answer to our first try was lost, it was us.
        if (tried === 1) say("This was answered already.");
        return;
      }
      if (error instanceof ParleyApiError && error.status < 500) throw error;
      if (tried === TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tried));
    }
  }
}

/** Answers an ask once, however often a button is pressed. */
export async function answerAsk(ask: Ask, answer: AskAnswer): Promise<boolean> {
  if (isSending(ask.id)) return false;
  mark(ask.id, true);
  const done = await attempt(() => send(ask, answer));
  mark(ask.id, false);
  return done;
}
