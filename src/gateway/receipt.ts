import { createHash } from "node:crypto";
import { ParleyError } from "../core/errors.ts";
import type { Draft, ParleyEvent } from "../core/events/event.ts";
import { messageKey, promptKey } from "../core/events/keys.ts";
import type { Prompt } from "../core/events/values.ts";
import type { Receipt } from "../core/receipt.ts";
import { beginsTurn } from "../core/session-state.ts";
import type { EventRecord, Log } from "../log/contract.ts";

/** Of what a client asked for, so that a repeat is told from another prompt with the same id. */
export function digestOf(
  prompt: Pick<Prompt, "parts" | "delivery" | "model" | "mode" | "system" | "task"> & {
    agent?: string;
    extras?: object;
  },
): string {
  const { parts, delivery, model, mode, system, agent, extras, task } = prompt;
  const plain = system === undefined && agent === undefined && extras === undefined;
  const more = plain ? [] : [system ?? null, agent ?? null, extras ?? null];
  const known = [parts, delivery ?? "queue", model ?? null, mode ?? null, ...more, ...(task ? [task] : [])];
  return sha256Of(known);
}

/** The hash of a request as it came. */
export function sha256Of(request: object): string {
  return createHash("sha256").update(JSON.stringify(request)).digest("hex");
}

/** Makes the receipt of a prompt from the event that stored it. */
function receiptOf(event: ParleyEvent): (Receipt & { digest?: string }) | undefined {
  switch (event.type) {
    case "turn.started": {
      const { prompt } = event.data;
      return (
        prompt && { prompt: prompt.id, status: "started", turn: event.turn, seq: event.seq, digest: prompt.digest }
      );
    }
    case "prompt.queued": {
      const { prompt, position } = event.data;
      const status = beginsTurn(prompt) ? "queued" : "kept";
      return { prompt: prompt.id, status, position, seq: event.seq, digest: prompt.digest };
    }
    case "item.started": {
      const { item } = event.data;
      if (item.kind !== "message" || !item.steered) return undefined;
      const digest = typeof item.digest === "string" ? item.digest : undefined;
      return { prompt: item.id, status: "steered", turn: event.turn, seq: event.seq, digest };
    }
    default:
      return undefined;
  }
}

/** The receipt of a repeated prompt. Throws when the body is another. */
export function repeatedReceipt(event: ParleyEvent, prompt: Prompt): Receipt {
  const found = receiptOf(event);
  if (!found || found.digest !== prompt.digest) {
    const why = found ? "was sent before with another body" : "has the id of an answer";
    throw new ParleyError("prompt_conflict", `prompt ${prompt.id} ${why}; use a fresh id for a new prompt`, {
      prompt: prompt.id,
    });
  }
  const { digest: _, ...receipt } = found;
  return receipt;
}

/** The receipt of a prompt that was stored just now. */
export function firstReceipt({ records, said }: { records: readonly EventRecord[]; said: readonly Draft[] }): Receipt {
  for (const [index, draft] of said.entries()) {
    const record = records[index];
    const receipt = record && receiptOf({ ...draft, id: "", seq: record.seq, session: record.session });
    if (receipt) {
      const { digest: _, ...rest } = receipt;
      return rest;
    }
  }
  throw new ParleyError(
    "internal",
    "expected an event that holds the stored prompt, got none; this is a defect of Parley",
  );
}

/** The receipt of a prompt that is stored already, as a turn or as a steered message; undefined for a new one. */
export async function earlierReceipt(log: Log, session: string, prompt: Prompt): Promise<Receipt | undefined> {
  const event = (await log.find(session, promptKey(prompt.id))) ?? (await log.find(session, messageKey(prompt.id)));
  return event && repeatedReceipt(event, prompt);
}
