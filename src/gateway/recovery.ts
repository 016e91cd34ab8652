import type { MakeId } from "../core/ids.ts";
import { restore } from "../core/ledger/restore.ts";
import { beginsTurn, type SessionState } from "../core/session-state.ts";
import type { Log } from "../log/contract.ts";
import { readEvents } from "./read-events.ts";

/** Closes every turn that a crash left open; before the port opens, so that no client sees a turn that nobody runs. Returns the sessions with prompts that still wait. */
export async function recover(
  log: Log,
  context: { now: () => number; id: MakeId },
): Promise<{ closed: number; waiting: string[] }> {
  const unsettled = await log.unsettled();
  const open = unsettled.filter((session) => session.turn !== null);
  await Promise.all(open.map((session) => closeTurn(log, session, context)));
  return {
    closed: open.length,
    waiting: unsettled.filter((session) => session.queue.some(beginsTurn)).map((session) => session.id),
  };
}

async function closeTurn(
  log: Log,
  session: SessionState,
  { now, id }: { now: () => number; id: MakeId },
): Promise<void> {
  const { step } = await import("../core/ledger/step.ts");
  const after = (session.turn?.seq ?? 1) - 1;
  const ledger = restore(session, await readEvents(log, session.id, after));
  const { events } = step(ledger, { command: { type: "crashed" } }, { now: now(), id });
  await log.append(
    session.id,
    events.map((draft) => ({ draft })),
  );
}
