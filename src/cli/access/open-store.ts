import { isId } from "../../core/ids.ts";
import type { Settings } from "../config/settings.ts";
import { pickId } from "../session-ids.ts";
import { apiProblem } from "./api-problems.ts";
import { findServer } from "./find-server.ts";
import { everySession, type Store } from "./store.ts";

/** Looks at things through the running server, or at the log itself where none runs. */
export async function withStore<T>(settings: Settings, work: (store: Store) => Promise<T>): Promise<T> {
  const server = await findServer(settings);
  const store = server
    ? (await import("./online-store.ts")).onlineStore(server)
    : await (await import("./offline-store.ts")).offlineStore(settings);
  try {
    return await work(store);
  } catch (thrown) {
    throw apiProblem(thrown, settings);
  } finally {
    await store.close();
  }
}

/** The session that a whole or abbreviated id means. */
export async function findSession(store: Store, given: string): Promise<string> {
  // A whole id may also be that of a sub-agent's session, which no list shows.
  if (isId("session", given) && (await store.get(given))) return given;
  return pickId(
    given,
    (await everySession(store)).map(({ id }) => id),
  );
}
