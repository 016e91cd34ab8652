import { setImmediate as nextTurn } from "node:timers/promises";
import type { EventOf, ParleyEvent } from "../../../core/events/event.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { EventRecord } from "../../../log/contract.ts";
import { SessionView } from "../projection/session-view.ts";
import type { MessageText } from "../projection/transcript.ts";
import type { MessageWithParts } from "../shapes/message.ts";

/** A turn may be long: after so many of its events other requests get their turn. */
const CHUNK = 1_000;

/** A message and the number of the event that first showed it: its place among all messages of its session. */
export interface Placed {
  seq: number;
  message: MessageWithParts;
}

export interface PlacedText {
  seq: number;
  message: MessageText;
}

export interface TurnMessages {
  /** In order. Without the messages of prompts that had waited, whose place is where they began to. */
  placed: Placed[];
  /** Those, by their ids. */
  waited: ReadonlyMap<string, MessageWithParts>;
  view: SessionView;
}

/** The state without its open turn, queue and asks, which must not show in earlier turns. A turn names its model and mode itself. */
function before(state: SessionState): SessionState {
  return { ...state, turn: null, queue: [], asks: [] };
}

/** The prompts that a turn took up after they had waited. */
function takenUp({ data: { prompt, context = [] } }: EventOf<"turn.started">): string[] {
  return [...context, ...(prompt ? [prompt] : [])].flatMap(({ id, queued }) => (queued === undefined ? [] : [id]));
}

/** The messages of one turn, from its events: the first is its `turn.started`. It holds what they say, and not the events. */
export class TurnReading {
  readonly #view: SessionView;
  readonly #late = new Set<string>();

  /** `texts`: parts are kept as texts where possible. */
  constructor(state: SessionState, texts = false) {
    this.#view = new SessionView(before(state), { silent: true, texts });
  }

  take({ json, type }: EventRecord): void {
    // A queued prompt belongs to a later turn.
    if (type === "prompt.queued" || type === "prompt.withdrawn") return;
    const event = JSON.parse(json) as ParleyEvent;
    if (event.type === "turn.started") for (const id of takenUp(event)) this.#late.add(id);
    this.#view.apply(event);
  }

  /** The messages as texts, in order, without those of prompts that had waited. */
  texts(): PlacedText[] {
    const all = this.#view.transcript?.texts() ?? [];
    return all.filter(({ info }) => !this.#late.has(info.id)).map(({ seq, ...message }) => ({ seq, message }));
  }

  messages(): TurnMessages {
    const placed: Placed[] = [];
    const waited = new Map<string, MessageWithParts>();
    for (const { seq, ...message } of this.#view.transcript?.numbered() ?? []) {
      if (this.#late.has(message.info.id)) waited.set(message.info.id, message);
      else placed.push({ seq, message });
    }
    return { placed: placed.sort((a, b) => a.seq - b.seq), waited, view: this.#view };
  }
}

export async function messagesOfTurn(state: SessionState, records: readonly EventRecord[]): Promise<TurnMessages> {
  const turn = new TurnReading(state);
  let taken = 0;
  for (const record of records) {
    if (++taken % CHUNK === 0) await nextTurn();
    turn.take(record);
  }
  return turn.messages();
}
