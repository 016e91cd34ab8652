import type { Outcome, Receipt } from "../core/receipt.ts";
import { ParleyProtocolError } from "./errors.ts";
import type { GapEvent, StreamEvent } from "./stream-types.ts";

export interface Tracked {
  /** The event is about the prompt or its turn. */
  mine: boolean;
  /** The turn is over. */
  outcome?: Outcome;
}

/** Finds the events of one prompt's turn among those of its session, from the prompt's receipt on. */
export class TurnTracker {
  readonly #receipt: Receipt;
  #turn: string | undefined;
  #text = "";

  constructor(receipt: Receipt) {
    this.#receipt = receipt;
    this.#turn = receipt.turn;
  }

  take(event: StreamEvent): Tracked {
    if (event.type === "gap") return this.#takeGap(event);
    const { prompt } = this.#receipt;
    if (event.type === "prompt.queued") return { mine: event.data.prompt.id === prompt };
    if (event.type === "prompt.withdrawn") {
      if (event.data.prompt !== prompt) return { mine: false };
      return { mine: true, outcome: { receipt: this.#receipt, reason: "withdrawn", text: this.#text } };
    }
    if (event.type === "turn.started" && event.data.prompt?.id === prompt) this.#turn = event.turn;
    if (this.#turn === undefined || event.turn !== this.#turn) return { mine: false };
    if (event.type === "item.completed" && event.data.item.kind === "message" && event.data.item.role === "assistant") {
      this.#text = event.data.item.text ?? "";
    }
    if (event.type !== "turn.ended") return { mine: true };
    const { reason, usage, error, duration } = event.data;
    const told = Object.fromEntries(
      Object.entries({ usage, error, duration }).filter(([, value]) => value !== undefined),
    );
    return { mine: true, outcome: { receipt: this.#receipt, turn: this.#turn, reason, text: this.#text, ...told } };
  }

  /** The end of the turn may be in the gap: then it does not come any more. */
  #takeGap({ data: { snapshot } }: GapEvent): Tracked {
    const { prompt } = this.#receipt;
    if (snapshot.turn && (snapshot.turn.id === this.#turn || snapshot.turn.prompt === prompt)) {
      this.#turn = snapshot.turn.id;
      return { mine: true };
    }
    if (snapshot.queue.some((waiting) => waiting.id === prompt)) return { mine: true };
    throw new ParleyProtocolError(
      `the end of prompt ${prompt} is no longer kept: session.get() says how the session is now`,
    );
  }
}
