import { ParleyApiError, ParleyConnectionError } from "../../client/index.ts";
import { AlreadyRunning } from "../../server/parley.ts";
import type { Settings } from "../config/settings.ts";
import { startProblem } from "../serve/problems.ts";
import { apiProblem } from "./api-problems.ts";
import { type FoundServer, findServer } from "./find-server.ts";
import type { OwnServer } from "./own-server.ts";

const TRIES = 5;

/** A server that was found may be leaving at that moment: then the next look finds another, or none. */
function isLeaving(error: unknown): boolean {
  return (
    error instanceof ParleyConnectionError ||
    error instanceof AlreadyRunning ||
    (error instanceof ParleyApiError && error.code === "shutting_down")
  );
}

/** Calls `use` with the server of the data directory, or with one that `start` starts, which is closed when `use` fails. */
export async function useServer<T>(
  settings: Settings,
  start: () => Promise<OwnServer>,
  use: (server: FoundServer, own?: OwnServer) => Promise<T>,
): Promise<T> {
  for (let left = TRIES - 1; ; left--) {
    let own: OwnServer | undefined;
    try {
      const found = await findServer(settings);
      if (found) return await use(found);
      own = await start().catch((thrown: unknown) => {
        throw thrown instanceof AlreadyRunning ? thrown : startProblem(thrown, settings);
      });
      return await use(own, own);
    } catch (error) {
      await own?.close();
      if (left > 0 && isLeaving(error)) continue;
      throw error instanceof AlreadyRunning ? startProblem(error, settings) : apiProblem(error, settings);
    }
  }
}
