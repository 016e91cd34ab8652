import type { Draft } from "../../../src/core/events/event.ts";
import type { Hold } from "../../../src/log/contract.ts";
import { drafted, entryOf, titled } from "./log-stage.ts";

/** A way that an append goes through the log. Groups have one statement, and a single event that changes no state has another. */
export interface Way {
  kind: "rename" | "say";
  /** Events that must be stored before the first of this way, and the number after them. */
  begin(hold: Hold, after: number): Promise<number>;
  draft(text: string): Draft;
  /** Closes what `begin` opened; `said` is all that was stored in between. */
  end(hold: Hold, after: number, said: string): Promise<void>;
}

const item = { id: "prt_1", kind: "message", role: "assistant", status: "running" } as const;

/** A group's way. */
export const renames: Way = {
  kind: "rename",
  begin: async (_, after) => after,
  draft: titled,
  end: async () => {},
};

/** The way of one event: a piece of text. */
export const words: Way = {
  kind: "say",
  async begin(hold, after) {
    await hold.append(after, [drafted("turn.started", { by: "user" }), drafted("item.started", { item })].map(entryOf));
    return after + 2;
  },
  draft: (delta) => drafted("item.delta", { item: item.id, field: "text", delta }),
  async end(hold, after, said) {
    const done = { ...item, status: "completed", text: said } as const;
    const end = [drafted("item.completed", { item: done }), drafted("turn.ended", { reason: "end_turn" })];
    await hold.append(after, end.map(entryOf));
  },
};
