import { findSession, withStore } from "../access/open-store.ts";
import type { Store } from "../access/store.ts";
import { configure } from "../context.ts";
import type { CommonFlags } from "../options.ts";

export interface CancelFlags extends CommonFlags {
  keepQueue?: boolean;
}

/** Whether a node works on it, where this is no node. */
async function isBusy(store: Store, session: string): Promise<boolean> {
  const found = await store.get(session);
  return found !== undefined && found.turn !== null && found.status !== "interrupted";
}

/** Stops the turn of a session, and returns when its agent is quiet. A session that is idle is left alone. */
export async function cancelSession(given: string, flags: CancelFlags): Promise<string> {
  const { settings } = await configure({ dataDir: flags.dataDir });
  return withStore(settings, async (store) => {
    const session = await findSession(store, given);
    const queue = flags.keepQueue ? "keep" : "clear";
    const client = store.client ?? ((await isBusy(store, session)) ? await store.serve?.() : undefined);
    const done = (await client?.session(session).cancel({ queue })) ?? { cancelled: false };
    if (flags.json) return `${JSON.stringify({ session, ...done })}\n`;
    const why = client ? "" : ": no server runs here";
    process.stderr.write(done.cancelled ? `cancelled ${done.turn} of ${session}\n` : `${session} is idle${why}\n`);
    return "";
  });
}
