import { type Ask, type AskAnswer, ParleyApiError } from "../../../src/client/index.ts";
import { api } from "../../data/api.ts";
import { isSending, markSending } from "../../data/asks.ts";
import { attempt, say } from "../toasts.tsx";

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
  markSending(ask.id, true);
  const done = await attempt(() => send(ask, answer));
  // Otherwise its end is told by an event.
  if (!done) markSending(ask.id, false);
  return done;
}
