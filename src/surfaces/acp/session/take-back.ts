import { ParleyApiError, type SessionHandle } from "../../../client/index.ts";
import { textIn } from "../../../core/json/fields.ts";
import type { AskDesk } from "../asks/desk.ts";
import type { Update } from "../translate/updates.ts";
import { insist } from "./insist.ts";
import type { Prompts } from "./prompts.ts";

/** A session as its prompts and turns are taken back. */
export interface Stoppable {
  handle: SessionHandle;
  prompts: Prompts;
  asks: Pick<AskDesk, "dropAll" | "showOpen">;
  stoppedTurn: string | undefined;
  /** Nothing is told of it any more. */
  isOver: boolean;
  give(update: Update): Promise<void>;
  /** The turn is over for the client, though its end cannot be stored yet. */
  endUnstored(turn: string): Promise<void>;
  /** The prompt gets no turn, though that cannot be stored yet. */
  endUnbegun(prompt: string): void;
}

/** Stops what this client has begun; where it began nothing, what runs. Asks of a turn that goes on are shown again. */
export async function cancel(session: Stoppable): Promise<void> {
  session.asks.dropAll();
  try {
    if (!(await cancelOwn(session))) await stopTurn(session);
  } finally {
    await session.asks.showOpen();
  }
}

/** Stops what this client has begun: prompts that wait are taken back, then the turn is stopped. Returns whether there was anything. */
export async function cancelOwn(session: Stoppable): Promise<boolean> {
  const { prompts } = session;
  await prompts.allSent();
  const own = prompts.all();
  await takeBack(session, own);
  return own.length > 0;
}

/** Takes back the prompts of this client that wait, also where the session is lost meanwhile. */
export async function takeBackWaiting(session: Stoppable): Promise<void> {
  const { prompts } = session;
  const waits = (id: string): boolean => prompts.turnOf(id) === undefined;
  const waiting = prompts.all().filter(waits);
  await prompts.allSent();
  await Promise.all(waiting.filter(waits).map((id) => withdraw(session, id)));
}

/** Takes back one prompt: before its turn, or by stopping that. */
export async function cancelPrompt(session: Stoppable, id: string): Promise<void> {
  await session.prompts.allSent();
  if (session.prompts.has(id)) await takeBack(session, [id]);
}

/** Takes prompts back: before their turn, or by stopping that. A turn is named, because another client's may run by the time of the request. */
async function takeBack(session: Stoppable, ids: readonly string[]): Promise<void> {
  const { handle, prompts } = session;
  const waiting = ids.filter((id) => prompts.turnOf(id) === undefined);
  const taken = await Promise.all(waiting.map((id) => withdraw(session, id)));
  // A prompt that could not be taken back has begun meanwhile.
  const begun = waiting.filter((_, at) => !taken[at]);
  const turns = new Set(ids.flatMap((id) => prompts.turnOf(id) ?? []));
  const { turn } = begun.length === 0 ? { turn: null } : await handle.get();
  if (turn?.prompt !== undefined && begun.includes(turn.prompt)) turns.add(turn.id);
  for (const one of turns) await stopTurn(session, one);
}

/** Stops a turn, or what runs. */
async function stopTurn(session: Stoppable, turn?: string): Promise<void> {
  try {
    await insist(() => session.handle.cancel({ queue: "keep", ...(turn === undefined ? {} : { turn }) }));
  } catch (error) {
    const stopped = error instanceof ParleyApiError ? textIn(error.problem, "turn") : undefined;
    if (!(error instanceof ParleyApiError) || stopped === undefined) throw error;
    // The log takes no writes. What was said once is not said again.
    if (stopped === session.stoppedTurn) return;
    await session.give({ type: "notice", level: "warning", title: error.detail });
    if (error.problem.stopped !== true) throw error;
    await session.endUnstored(stopped);
  }
}

/** Takes back a prompt that waits. Returns whether it gets no turn. */
async function withdraw(session: Stoppable, id: string): Promise<boolean> {
  try {
    await insist(() => session.handle.withdraw(id));
    // Its event is told where the session is still followed, and settles it first or not at all.
    if (session.isOver) session.prompts.settle(id, { prompt: id, reason: "withdrawn" });
    return true;
  } catch (error) {
    if (!(error instanceof ParleyApiError) || error.problem.withdrawn !== "later") return false;
    session.endUnbegun(id);
    return true;
  }
}
