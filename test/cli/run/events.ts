import type { ParleyEvent } from "../../../src/client/index.ts";
import type { Draft } from "../../../src/core/events/event.ts";

type Said = { [T in Draft["type"]]: Pick<Extract<Draft, { type: T }>, "type" | "data"> }[Draft["type"]];

let seq = 0;

/** An event of the session under test. */
export function event(said: Said): ParleyEvent {
  seq += 1;
  const envelope = { id: `ses_a:${seq}`, seq, session: "ses_a", turn: "trn_a", time: 0, source: "agent" };
  return { ...envelope, ...said } as ParleyEvent;
}
