import type { Outcome, Receipt } from "../core/receipt.ts";
import type { OptionNames } from "./check-options.ts";
import { closable, type EventStream, either, unlessAborted } from "./closable.ts";
import { deferred } from "./deferred.ts";
import { ParleyProtocolError } from "./errors.ts";
import { EVENTS_OPTIONS, type EventsOptions, openEvents } from "./event-stream.ts";
import type { StreamEvent } from "./stream-types.ts";
import type { Transport } from "./transport.ts";
import { TurnTracker } from "./turn-tracker.ts";

/** An aborted signal makes the run fail with its reason: there is no outcome then. The turn itself goes on. */
export type RunOptions = Omit<EventsOptions, "after" | "follow">;

const { after: _after, follow: _follow, ...runOptions } = EVENTS_OPTIONS;
export const RUN_OPTIONS: OptionNames<RunOptions> = runOptions;

/** One prompt's turn: the events in it, and how it ended. */
export interface TurnRun extends EventStream<StreamEvent, Outcome | undefined> {
  /** How the turn ended. Waits for the loop over the events, or reads them itself where there is none. */
  outcome(): Promise<Outcome>;
}

const LEFT = "the run was left before its turn had ended; session.turn(receipt) follows it again";

/** Follows the turn of a prompt that is being sent. Leaving it does not stop the sending. */
export function followTurn(
  transport: Transport,
  session: string,
  sent: Promise<Receipt>,
  options: RunOptions,
): TurnRun {
  const result = deferred<Outcome>();
  // A caller that only loops over the events gets the failure there, and one that never asks gets none.
  result.promise.catch(() => {});
  sent.catch(() => {});
  let inner: EventStream<StreamEvent> | undefined;
  let looped = false;

  async function* read(stop: AbortSignal): AsyncGenerator<StreamEvent, Outcome | undefined, undefined> {
    const { signal, release } = either(stop, options.signal);
    try {
      const receipt = await unlessAborted(sent, signal);
      const tracker = new TurnTracker(receipt);
      inner = openEvents(transport, { ...options, session, after: receipt.seq - 1, signal });
      for await (const event of inner) {
        const { mine, outcome } = tracker.take(event);
        if (outcome) result.resolve(outcome);
        if (mine) yield event;
        if (outcome) return outcome;
      }
      signal.throwIfAborted();
      throw new ParleyProtocolError(`session ${session} was deleted before the turn of ${receipt.prompt} ended`);
    } catch (error) {
      if (stop.aborted) return undefined;
      result.reject(error);
      throw error;
    } finally {
      result.reject(new Error(LEFT));
      release();
    }
  }

  const events = closable(read, () => inner?.cursor ?? "0");
  return {
    get cursor() {
      return events.cursor;
    },
    next() {
      looped = true;
      return events.next();
    },
    return: () => events.return(),
    [Symbol.asyncIterator]() {
      return this;
    },
    async outcome() {
      if (looped) return result.promise;
      looped = true;
      while (!(await events.next()).done);
      result.reject(new Error(LEFT));
      return result.promise;
    },
  };
}
