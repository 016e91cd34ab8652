import type { EventType } from "../../core/events/catalog.ts";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { Outcome, Receipt } from "../../core/receipt.ts";
import type { Log } from "../../log/contract.ts";
import { tail } from "../../log/tail.ts";

/** The types of event that say something of a turn's outcome: others need not be parsed. */
const TELLING: ReadonlySet<string> = new Set<EventType>([
  "turn.started",
  "turn.ended",
  "item.started",
  "item.completed",
  "prompt.withdrawn",
  "session.ended",
]);

/** Reads a session's events until the turn of a prompt is over. */
function outcomeReader(receipt: Receipt): (event: ParleyEvent) => Outcome | undefined {
  let turn: string | undefined;
  let text = "";
  return (event) => {
    if (event.type === "turn.started" && event.data.prompt?.id === receipt.prompt) turn = event.turn;
    if (event.type === "item.started" && event.data.item.id === receipt.prompt) turn = event.turn;
    if (event.type === "prompt.withdrawn" && event.data.prompt === receipt.prompt)
      return { receipt, reason: "withdrawn", text };
    // A deletion forgets all events before it, so a reader that begins late finds only this one.
    if (event.type === "session.ended" && event.data.reason === "deleted")
      return turn === undefined
        ? { receipt, reason: "withdrawn", text }
        : { receipt, turn, reason: "interrupted", text };
    if (turn === undefined || event.turn !== turn) return undefined;
    if (event.type === "item.completed" && event.data.item.kind === "message" && event.data.item.role === "assistant")
      text = event.data.item.text ?? "";
    return event.type === "turn.ended" ? { receipt, turn, text, ...event.data } : undefined;
  };
}

/** Follows the log from a prompt's receipt until its turn is over, whether that is past or still to come. */
export function outcomeOf(log: Log, session: string, receipt: Receipt, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const read = outcomeReader(receipt);
    const following = tail(
      log,
      session,
      { after: receipt.seq - 1 },
      {
        write: (records) => {
          for (const record of records) {
            if (!TELLING.has(record.type)) continue;
            const found = read(JSON.parse(record.json) as ParleyEvent);
            if (!found) continue;
            finish(() => resolve(found));
            break;
          }
          return undefined;
        },
        gap: async () => undefined,
        failed: (error) => finish(() => reject(error)),
      },
    );
    const finish = (settle: () => void): void => {
      signal?.removeEventListener("abort", onAbort);
      // The tail may still be in the call that made it.
      queueMicrotask(() => following.close());
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal?.reason));
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
