import type { SessionState } from "../../../core/session-state.ts";
import type { Surface } from "../context.ts";

/** Tells clients, once for each session, that some of its messages cannot be read: lists of messages leave them out. */
export function damageTeller({ gateway, bus }: Pick<Surface, "gateway" | "bus">): (session: SessionState) => void {
  const told = new Set<string>();
  return ({ id, directory }) => {
    const numbers = gateway.log.unreadable(id);
    if (numbers.length === 0 || told.has(id)) return;
    told.add(id);
    const what = `${numbers.length} events of this session cannot be read, from number ${numbers[0]} on`;
    const message = `The log is damaged: ${what}. Stop the server and run: parley doctor --repair`;
    bus.publish(directory, "session.error", { sessionID: id, error: { name: "UnknownError", data: { message } } });
  };
}
