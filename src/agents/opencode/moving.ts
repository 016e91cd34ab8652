import { fieldsIn, textIn } from "../../core/json/fields.ts";
import type { Signal } from "../../core/ledger/signals.ts";
import { within } from "../../core/within.ts";
import { ApiRefusal } from "./api.ts";
import { messagesAfter } from "./follow/messages-after.ts";
import type { Giving } from "./give.ts";
import type { Running } from "./running.ts";

const GONE_MS = 2_000;

export const MOVED: Signal = {
  type: "note",
  level: "warn",
  code: "agent_restarted",
  text: "OpenCode's server ended before it began the turn. The prompt goes to a new one.",
};

/** Whether a failure is the end of the server, which is told in a moment. */
export async function hasGone({ lease: { server }, signal }: Running, thrown: unknown): Promise<boolean> {
  if (signal.aborted) return true;
  return server.own && !(thrown instanceof ApiRefusal) && (await within(server.gone, GONE_MS)) !== undefined;
}

/** Whether the prompts of the open turn can go to another server: as far as is known, nothing was done for them. */
export function isMovable({ lease, translator }: Running, givings: Iterable<Giving>): boolean {
  return lease.server.own && translator.isUntouched() && [...givings].every(({ isCalled }) => !isCalled);
}

/**
 * Takes the prompts of the open turn back from the program: it would add the contents of their files a second time. Rejects where it keeps an answer to them.
 */
export async function takeBack({ api, id, translator }: Running, givings: ReadonlyMap<string, Giving>): Promise<void> {
  const { floor = "" } = translator.branches.get(id) ?? {};
  const kept = (await messagesAfter(api, id, floor)).map((message) => fieldsIn(message, "info"));
  if (kept.some(({ role }) => role === "assistant")) throw new Error("the program has begun to answer");
  const own = kept.map((info) => textIn(info, "id") ?? "").filter((message) => givings.has(message));
  for (const message of own) await api.ask("DELETE", `/session/${id}/message/${message}`).catch(() => {});
}
