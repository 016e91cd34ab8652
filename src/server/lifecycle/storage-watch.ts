import type { ParleyError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import type { Log } from "../../log/contract.ts";

const LOOK_MS = 1_000;

/** Looks whether the log's files are where they were: a server at rest would not notice, nor would an agent that says nothing. */
export function watchStorage(log: Log, logger: Logger, onLost: (error: ParleyError) => void): () => void {
  let lost = false;
  const look = (): void => {
    const fault = log.fault();
    if (fault && !lost) logger.error({ ...fault.details }, fault.message);
    if (!fault && lost) logger.warn({}, "the data directory is back where it was: prompts are taken again");
    lost = fault !== undefined;
    // Each time: a turn may have begun in the very moment in which the files went.
    if (fault) onLost(fault);
  };
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}
