import type { EventOf } from "../../../core/events/event.ts";
import type { EventRecord, SessionHead } from "../../../log/contract.ts";
import { SessionView } from "../projection/session-view.ts";
import type { MessageWithParts } from "../shapes/message.ts";
import type { Placed, TurnMessages } from "./turn-messages.ts";

/** The messages of prompts that wait or waited. Their place is where they began to wait; their turn has them in full. */
export class Waiting {
  readonly #known = new Map<string, MessageWithParts>();
  readonly #takenUp: (prompt: string) => Promise<TurnMessages | undefined>;

  constructor({ state }: SessionHead, takenUp: (prompt: string) => Promise<TurnMessages | undefined>) {
    this.#takenUp = takenUp;
    if (state.queue.length === 0) return;
    for (const message of new SessionView(state).messages()) this.#known.set(message.info.id, message);
  }

  know({ waited }: TurnMessages): void {
    for (const [id, message] of waited) this.#known.set(id, message);
  }

  /** The message that a `prompt.queued` gives its place, if there is one. */
  async placed({ json, seq }: EventRecord): Promise<Placed[]> {
    const event = JSON.parse(json) as EventOf<"prompt.queued">;
    const message = await this.message(event.data.prompt.id);
    return message ? [{ seq, message }] : [];
  }

  /** Undefined for one that was withdrawn. */
  async message(id: string): Promise<MessageWithParts | undefined> {
    if (!this.#known.has(id)) {
      const turn = await this.#takenUp(id);
      if (turn) this.know(turn);
    }
    return this.#known.get(id);
  }
}
