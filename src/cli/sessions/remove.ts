import { findSession, withStore } from "../access/open-store.ts";
import { configure } from "../context.ts";

/** All ids are looked up before the first is removed: a mistyped one removes nothing. */
export async function removeSessions(given: readonly string[], dataDir: string | undefined): Promise<void> {
  const { settings } = await configure({ dataDir });
  await withStore(settings, async (store) => {
    const ids = new Set<string>();
    for (const id of given) ids.add(await findSession(store, id));
    for (const id of ids) {
      await store.remove(id);
      process.stderr.write(`removed ${id}\n`);
    }
  });
}
