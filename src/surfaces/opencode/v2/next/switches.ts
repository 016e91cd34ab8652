import type { ParleyEvent } from "../../../../core/events/event.ts";
import type { SessionState } from "../../../../core/session-state.ts";
import { derivedId } from "../../projection/derived-ids.ts";
import { answering } from "../../projection/session-shape.ts";
import type { ModelRef } from "../../shapes/next.ts";

/** Another mode or model of a session, under the id of the message that tells it. */
export interface Switched {
  messageID: string;
  agent?: string;
  model?: ModelRef;
}

/** Where the event stands that made a message, in the id of that message: it is found again without reading the session. */
const MARK = /_s([0-9a-z]+)[am]$/;

export function switchedAt(messageID: string): number | undefined {
  const match = MARK.exec(messageID);
  return match ? Number.parseInt(match[1] ?? "", 36) : undefined;
}

/** Follows the mode and the model of a session, and sees when another one is chosen. One that only becomes known is none. */
export class Switches {
  #model: string | undefined;
  #mode: string | undefined;

  take(event: ParleyEvent, state: Pick<SessionState, "agent" | "parent">): Switched[] {
    if (event.type === "session.started" || event.type === "turn.started") {
      const { model, mode } = event.data;
      this.#model = model;
      this.#mode = mode;
      return [];
    }
    if (event.type !== "session.updated") return [];
    const { model = this.#model, mode = this.#mode } = event.data;
    const before = { model: this.#model, mode: this.#mode };
    this.#model = model;
    this.#mode = mode;
    const { agent, providerID, modelID } = answering({ model, mode }, state as SessionState);
    const id = (kind: "a" | "m"): string =>
      `${derivedId("msg", event.time, `${event.id}${kind}`)}_s${event.seq.toString(36)}${kind}`;
    const switched: Switched[] = [];
    if (answering(before, state as SessionState).agent !== agent) switched.push({ messageID: id("a"), agent });
    if (before.model !== undefined && before.model !== model)
      switched.push({ messageID: id("m"), model: { id: modelID, providerID } });
    return switched;
  }
}
