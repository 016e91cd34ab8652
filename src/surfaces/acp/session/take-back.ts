import type { SessionHandle } from "../../../client/index.ts";
import { insist } from "./insist.ts";
import type { Prompts } from "./prompts.ts";

/** Takes prompts back: before their turn, or by stopping that. A turn is named, because another client's may run by the time of the request. */
export async function takeBack(
  { handle, prompts }: { handle: SessionHandle; prompts: Prompts },
  ids: readonly string[],
): Promise<void> {
  const waiting = ids.filter((id) => prompts.turnOf(id) === undefined);
  const taken = await Promise.allSettled(waiting.map((id) => insist(() => handle.withdraw(id))));
  // A prompt that could not be taken back has begun meanwhile.
  const begun = waiting.filter((_, at) => taken[at]?.status === "rejected");
  const turns = new Set(ids.flatMap((id) => prompts.turnOf(id) ?? []));
  const { turn } = begun.length === 0 ? { turn: null } : await handle.get();
  if (turn?.prompt !== undefined && begun.includes(turn.prompt)) turns.add(turn.id);
  for (const one of turns) await insist(() => handle.cancel({ queue: "keep", turn: one }));
}
