import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { ParleyEvent } from "../../core/events/event.ts";
import type { EndReason, Failure, Usage } from "../../core/events/values.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Receipt } from "../../gateway/receipt.ts";
import type { Log } from "../../log/contract.ts";
import { tail } from "../../log/tail.ts";
import { WRITTEN } from "./route.ts";

export const turnQuery = z.object({
  wait: z.stringbool().default(false).describe("answer when the turn is over, with its outcome"),
});

export interface Outcome {
  receipt: Receipt;
  turn?: string;
  reason: EndReason | "withdrawn";
  text: string;
  usage?: Usage;
  error?: Failure;
  duration?: number;
}

/** Follows the log from a prompt's receipt until its turn is over, whether that is past or still to come. */
export function outcomeOf(log: Log, session: string, receipt: Receipt, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let turn: string | undefined;
    let text = "";
    const look = (event: ParleyEvent): Outcome | undefined => {
      if (event.type === "turn.started" && event.data.prompt?.id === receipt.prompt) turn = event.turn;
      if (event.type === "item.started" && event.data.item.id === receipt.prompt) turn = event.turn;
      if (event.type === "prompt.withdrawn" && event.data.prompt === receipt.prompt)
        return { receipt, reason: "withdrawn", text };
      // A deletion forgets all that came before it, so that who reads late finds only this.
      if (event.type === "session.ended" && event.data.reason === "deleted")
        return turn === undefined
          ? { receipt, reason: "withdrawn", text }
          : { receipt, turn, reason: "interrupted", text };
      if (turn === undefined || event.turn !== turn) return undefined;
      if (
        event.type === "item.completed" &&
        event.data.item.kind === "message" &&
        event.data.item.role === "assistant"
      ) {
        text = event.data.item.text ?? "";
      }
      return event.type === "turn.ended" ? { receipt, turn, text, ...event.data } : undefined;
    };
    const following = tail(
      log,
      session,
      { after: receipt.seq - 1 },
      {
        write: (records) => {
          for (const record of records) {
            const found = look(JSON.parse(record.json) as ParleyEvent);
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
      signal.removeEventListener("abort", onAbort);
      // The tail may still be in the call that made it.
      queueMicrotask(() => following.close());
      settle();
    };
    const onAbort = (): void => finish(() => reject(signal.reason));
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

const KEEP_ALIVE_MS = 15_000;

/** Answers with JSON that takes long to come: spaces before it keep proxies and clients from giving up. */
export async function writeSlowly(response: ServerResponse, status: number, value: Promise<unknown>): Promise<void> {
  response.writeHead(status, { "content-type": "application/json", "x-accel-buffering": "no" });
  response.flushHeaders();
  const timer = setInterval(() => response.write(" "), KEEP_ALIVE_MS);
  try {
    response.end(JSON.stringify(await value));
  } catch {
    // The head is out: a cut connection is the only honest way to say that no answer will come.
    response.destroy();
  } finally {
    clearInterval(timer);
  }
}

/** The receipt of what began a turn; for who wants to wait, the turn's outcome when it is over. */
export function answerTurn(
  gateway: Gateway,
  { query, response }: { query: z.output<typeof turnQuery>; response: ServerResponse },
  session: string,
  given: Receipt,
): Receipt | typeof WRITTEN {
  if (!query.wait) return given;
  // Who has left already would count as watching for ever.
  if (response.closed || response.destroyed) return WRITTEN;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const detach = gateway.attachments.attach(session);
  void writeSlowly(response, 200, outcomeOf(gateway.log, session, given, gone.signal)).finally(detach);
  return WRITTEN;
}
