import { exportHeader } from "../../core/history/exported.ts";
import { findSession, withStore } from "../access/open-store.ts";
import { everySession, type FoundSession, type Store } from "../access/store.ts";
import { configure } from "../context.ts";
import { usageError } from "../exit.ts";
import { print } from "../output/print.ts";
import { tell } from "../tell.ts";

/** A session and those of its sub-agents, however deep: each before its own. */
async function familyOf(store: Store, id: string): Promise<FoundSession[]> {
  const session = await store.get(id);
  if (!session) return [];
  const below = (await everySession(store, { parent: id })).toReversed();
  const families = await Promise.all(below.map((child) => familyOf(store, child.id)));
  return [session, ...families.flat()];
}

/** Prints a session as JSON lines: one that names it, then all of its events and those of its sub-agents. */
export async function exportSession(given: string, dataDir: string | undefined): Promise<void> {
  const { settings } = await configure({ dataDir });
  await withStore(settings, async (store) => {
    const id = await findSession(store, given);
    const family = await familyOf(store, id);
    const [session] = family;
    if (session?.root !== undefined) {
      throw usageError(`${id} is the session of a sub-agent: export the session that it belongs to, ${session.root}`);
    }
    const named = family.map((one) => ({ id: one.id, parent: one.parent, root: one.root, last: one.last }));
    await print(`${JSON.stringify(exportHeader(id, named))}\n`);
    for (const one of family) {
      if (one.turn) tell(`warning: a turn of ${one.id} still runs: the export has what happened so far`);
      for await (const event of store.events(one.id, { after: 0, follow: false, native: false })) {
        if (event.seq > one.last) break;
        await print(`${JSON.stringify(event)}\n`);
        if (event.type === "gap") {
          const { after, first } = event.data;
          tell(
            `warning: events ${after + 1} to ${first - 1} of ${one.id} are no longer kept: the export cannot be imported`,
          );
        }
      }
    }
  });
}
