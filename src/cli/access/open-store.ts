import { setTimeout as delay } from "node:timers/promises";
import { ParleyApiError } from "../../client/errors.ts";
import { isParleyError, messageOf } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { Settings } from "../config/settings.ts";
import { CliError, EXIT, systemCodeOf } from "../exit.ts";
import { pickId } from "../session-ids.ts";
import { apiProblem } from "./api-problems.ts";
import { findServer } from "./find-server.ts";
import { wasNotSent } from "./leaving.ts";
import { everySession, type Store } from "./store.ts";

/** A server that leaves has ten seconds for that. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 50;

export interface Patience {
  /** How long to wait for a server that is leaving. */
  patienceMs?: number;
  /** Ends the wait. */
  signal?: AbortSignal;
}

/** Looks at things through the running server, or at the log itself where none runs. A server that leaves at that moment, and did nothing, is not the one. */
export async function withStore<T>(
  settings: Settings,
  work: (store: Store) => Promise<T>,
  { patienceMs = PATIENCE_MS, signal }: Patience = {},
): Promise<T> {
  for (const until = performance.now() + patienceMs; ; await delay(LOOK_MS)) {
    let store: Store | undefined;
    let isUsed = false;
    const answered = (): void => {
      isUsed = true;
    };
    try {
      const server = await findServer(settings);
      store = server
        ? (await import("./online-store.ts")).onlineStore(server, answered)
        : await withoutServer(settings);
      return await work(store);
    } catch (thrown) {
      const isOver = isUsed || signal?.aborted || performance.now() >= until;
      if (!isOver && hasLeft(thrown)) continue;
      throw forbidden(thrown, settings) ?? databaseProblem(thrown, settings) ?? apiProblem(thrown, settings);
    } finally {
      await store?.close();
    }
  }
}

/** Whether nothing of a request was done, because its server is going or gone. */
function hasLeft(thrown: unknown): boolean {
  return wasNotSent(thrown) || (thrown instanceof ParleyApiError && thrown.code === "shutting_down");
}

async function withoutServer(settings: Settings): Promise<Store> {
  if (settings.databaseUrl === undefined) return (await import("./offline-store.ts")).offlineStore(settings);
  return (await import("./database-store.ts")).databaseStore(settings.databaseUrl, settings);
}

/** A mistake in what was said of the database, as against a database that is away. */
function databaseProblem(thrown: unknown, { databaseUrl }: Settings): CliError | undefined {
  if (databaseUrl === undefined || !isParleyError(thrown)) return undefined;
  return new CliError(thrown.message, thrown.code === "invalid" ? EXIT.usage : EXIT.failed, thrown);
}

/** The system refuses to let this user read the data directory. */
function forbidden(thrown: unknown, { dataDir }: Settings): CliError | undefined {
  const refused = /\b(EACCES|EPERM)\b/.test(messageOf(thrown)) && (isParleyError(thrown) || systemCodeOf(thrown));
  if (!refused || thrown instanceof CliError) return undefined;
  const advice = "see that it belongs to you, or choose another with --data-dir";
  return new CliError(
    `you may not read the data directory ${dataDir}: ${advice} (${messageOf(thrown)})`,
    EXIT.failed,
    thrown,
  );
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
