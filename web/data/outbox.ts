import { type ReadonlySignal, signal } from "@preact/signals";
import { messageIds } from "../../src/client/message-id.ts";
import type { Delivery } from "../../src/core/events/values.ts";
import type { Receipt } from "../../src/core/receipt.ts";
import type { Sending } from "../model/draft.ts";
import { api, wordsOf } from "./api.ts";

/** A prompt on its way to the server, or one that did not get there. It belongs to the session it was written in. */
export interface Outgoing {
  /** The prompt's id: however often it is sent, it is one prompt. */
  id: string;
  session: string;
  /** The words as they were written. */
  text: string;
  sending: Sending;
  delivery: Delivery;
  /** Why it is not with the server; undefined while it is being sent. */
  failed?: string;
}

const newId = messageIds(Date.now);
const all = signal<readonly Outgoing[]>([]);

export const outbox: ReadonlySignal<readonly Outgoing[]> = all;

function put(one: Outgoing): void {
  const known = all.value.some(({ id }) => id === one.id);
  all.value = known ? all.value.map((other) => (other.id === one.id ? one : other)) : [...all.value, one];
}

/** Takes a prompt out of the list, to be written anew or because it arrived. */
export function dropOutgoing(id: string): void {
  all.value = all.value.filter((one) => one.id !== id);
}

function give({ id, session, sending, delivery }: Outgoing): Promise<Receipt> {
  const handle = api.session(session);
  switch (sending.kind) {
    case "shell":
      return handle.shell(sending.command, { id });
    case "compact":
      return handle.compact({ id });
    case "command": {
      const parts = sending.parts.length > 0 ? { parts: sending.parts } : {};
      return handle.command(sending.name, sending.words, { id, attended: true, ...parts });
    }
    case "prompt":
      return handle.prompt({ id, parts: sending.parts, delivery, attended: true });
  }
}

/** Sends a prompt, or once more one that failed. The client asks again for a receipt that got lost. */
export async function sendOutgoing(one: Outgoing): Promise<boolean> {
  const { failed: _, ...trying } = one;
  put(trying);
  try {
    await give(trying);
    dropOutgoing(one.id);
    return true;
  } catch (error) {
    put({ ...trying, failed: wordsOf(error) });
    return false;
  }
}

export function newOutgoing(session: string, text: string, sending: Sending, delivery: Delivery): Outgoing {
  return { id: newId(), session, text, sending, delivery };
}
