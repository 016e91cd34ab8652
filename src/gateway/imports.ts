import { ParleyError } from "../core/errors.ts";
import type { Log } from "../log/contract.ts";

const PAGE = 200;

/** Sees to it that a session of an agent's own is taken over once: two sessions would write to one memory. */
export class Imports {
  private readonly log: Log;
  /** Those that are being taken over now. */
  private readonly going = new Set<string>();

  constructor(log: Log) {
    this.log = log;
  }

  /** Runs the work that takes the session over, unless another session has it. */
  async once<T>(agent: string, nativeId: string, work: () => Promise<T>): Promise<T> {
    const key = JSON.stringify([agent, nativeId]);
    const what = `session ${nativeId} of agent ${agent}`;
    if (this.going.has(key))
      throw new ParleyError("already_imported", `${what} is being taken over by another request`);
    this.going.add(key);
    try {
      const session = await this.holder(agent, nativeId);
      if (session === undefined) return await work();
      const how = `go on with that one, or delete it first`;
      throw new ParleyError("already_imported", `${what} is session ${session} here: ${how}`, { session });
    } finally {
      this.going.delete(key);
    }
  }

  /** The session that has this memory. One that is deleted has none any more. */
  private async holder(agent: string, nativeId: string): Promise<string | undefined> {
    let after: string | undefined;
    do {
      const page = await this.log.list({ limit: PAGE, parent: null, ...(after === undefined ? {} : { after }) });
      const found = page.find(
        (one) => one.agent === agent && one.nativeId === nativeId && one.ended?.reason !== "deleted",
      );
      if (found) return found.id;
      after = page.length < PAGE ? undefined : page.at(-1)?.id;
    } while (after !== undefined);
    return undefined;
  }
}
