import type { Outcome, ParleyEvent, StreamEvent } from "../../client/index.ts";
import { TurnTracker } from "../../client/turn-tracker.ts";
import { messageOf } from "../../core/errors.ts";
import type { Asks } from "./asks.ts";
import type { Begun } from "./begin.ts";

/** How long a server that has gone may take to come back. */
const GIVE_UP_MS = 60_000;

export interface Follower {
  /** Every event of the session, with whether it belongs to our prompt. */
  event(event: StreamEvent, mine: boolean): void;
  /** The connection broke, and is tried again. */
  lost(reason: string): void;
}

/** The asks of sub-agents come in sessions of their own. */
async function watchChildren({ client, detail, position }: Begun, asks: Asks, signal: AbortSignal): Promise<void> {
  for await (const event of client.allEvents({ after: position, signal, giveUpAfterMs: GIVE_UP_MS })) {
    if (event.root === detail.id) asks.take(event);
  }
}

function isAsk(event: StreamEvent): event is ParleyEvent {
  return event.type.startsWith("permission.") || event.type.startsWith("question.");
}

/** Follows the session until the prompt's turn is over, and gets each ask in it an answer. */
export async function followTurn(begun: Begun, asks: Asks, follower: Follower, stop: AbortSignal): Promise<Outcome> {
  const { client, detail, fresh, receipt } = begun;
  const session = client.session(detail);
  const tracker = new TurnTracker(receipt);
  const done = new AbortController();
  let running = receipt.turn !== undefined;
  // Only our own prompt is stopped, not the turns of others before it.
  const cancel = (): Promise<unknown> =>
    running
      ? session.cancel({ queue: "keep" })
      : session.withdraw(receipt).catch(() => session.cancel({ queue: "keep" }));
  const onStop = (): void => void cancel().catch((error) => follower.lost(String(error)));
  stop.addEventListener("abort", onStop);
  if (stop.aborted) onStop();
  const children = watchChildren(begun, asks, done.signal).catch((error) => follower.lost(String(error)));
  const events = session.events({
    after: fresh ? 0 : detail.last,
    giveUpAfterMs: GIVE_UP_MS,
    onConnection: (state) => {
      if (state.state === "lost") follower.lost(messageOf(state.error));
    },
  });
  try {
    for await (const event of events) {
      const { mine, outcome } = tracker.take(event);
      if (mine && event.type === "turn.started") running = true;
      follower.event(event, mine);
      if (mine && isAsk(event)) asks.take(event);
      if (outcome) return outcome;
    }
    throw new Error(`session ${detail.id} was deleted before the turn had ended`);
  } finally {
    stop.removeEventListener("abort", onStop);
    done.abort();
    await Promise.all([asks.close(), children]);
  }
}
