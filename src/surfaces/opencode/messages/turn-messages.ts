import { setImmediate as nextTurn } from "node:timers/promises";
import type { ParleyEvent } from "../../../core/events/event.ts";
import type { SessionState } from "../../../core/session-state.ts";
import type { EventRecord } from "../../../log/contract.ts";
import { SessionView } from "../projection/session-view.ts";
import type { MessageWithParts } from "../shapes/message.ts";

/** A turn may be long: after so many of its events other requests get their turn. */
const CHUNK = 1_000;

/** A message and the number of the event that first showed it: its place among all messages of its session. */
export interface Placed {
  seq: number;
  message: MessageWithParts;
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
function takenUp(event: ParleyEvent): string[] {
  if (event.type !== "turn.started") return [];
  const { prompt, context = [] } = event.data;
  return [...context, ...(prompt ? [prompt] : [])].flatMap(({ id, queued }) => (queued === undefined ? [] : [id]));
}

/** The messages of one turn, from its events: the first is its `turn.started`. */
export async function messagesOfTurn(state: SessionState, records: readonly EventRecord[]): Promise<TurnMessages> {
  const view = new SessionView(before(state));
  const places = new Map<string, number>();
  const late = new Set<string>();
  for (const [index, { json, type }] of records.entries()) {
    if (index % CHUNK === CHUNK - 1) await nextTurn();
    // A queued prompt belongs to a later turn.
    if (type === "prompt.queued" || type === "prompt.withdrawn") continue;
    const event = JSON.parse(json) as ParleyEvent;
    for (const id of takenUp(event)) late.add(id);
    for (const { event: said } of view.apply(event)) {
      if (said.type !== "message.updated") continue;
      const { id } = said.properties.info;
      if (!places.has(id)) places.set(id, event.seq);
    }
  }
  const messages = view.messages();
  const placed = messages.flatMap((message) => {
    const { id } = message.info;
    return late.has(id) ? [] : [{ seq: places.get(id) ?? 0, message }];
  });
  const waited = messages.filter(({ info }) => late.has(info.id)).map((message) => [message.info.id, message] as const);
  return { placed: placed.sort((a, b) => a.seq - b.seq), waited: new Map(waited), view };
}
