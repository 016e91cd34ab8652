import { ParleyError } from "../../core/errors.ts";
import { isStorageRefusal, isUnknownOutcome } from "../../core/storage-refusal.ts";
import type { GatewayOptions } from "../options.ts";
import type { LiveSessions } from "./live-sessions.ts";
import { storePatiently } from "./store-patiently.ts";

const PAGE = 200;

/** Forgets sessions: ends what runs, then drops what is stored. */
export class Removal {
  private readonly options: Pick<GatewayOptions, "log" | "logger" | "mcp">;
  private readonly sessions: LiveSessions;
  /** Sessions whose deletion waits for the log. */
  private readonly waiting = new Set<string>();
  /** Removals that are under way, by their session. */
  private readonly running = new Map<string, Promise<void>>();

  constructor(options: Pick<GatewayOptions, "log" | "logger" | "mcp">, sessions: LiveSessions) {
    this.options = options;
    this.sessions = sessions;
  }

  /** A deletion that the log refuses once it has begun goes on by itself when the log takes writes again. */
  async remove(id: string): Promise<void> {
    try {
      await this.removeStored(id);
    } catch (error) {
      const begun = this.sessions.find(id)?.leavingForGood;
      if (!isStorageRefusal(error) || !(begun || isUnknownOutcome(error))) throw error;
      this.removeLater(id);
      const done = `${begun ? "the agent was stopped, and " : ""}the session is deleted when the log takes writes again`;
      throw new ParleyError(error.code, `${done}: ${error.message}`, error.details, error);
    }
  }

  /** Meanwhile the session stays in memory: a second object would be a second writer. */
  private removeLater(id: string): void {
    if (this.waiting.has(id)) return;
    this.waiting.add(id);
    const removal = this.sessions.use(id, (session) => {
      const remove = async (): Promise<void> => {
        await session.whenStored();
        await this.removeStored(id);
      };
      return storePatiently(remove, true, () => {});
    });
    removal
      .catch((error: unknown) => {
        if (!(error instanceof ParleyError) || error.code !== "shutting_down")
          this.options.logger.warn({ session: id, err: error }, "a session could not be deleted");
      })
      .finally(() => this.waiting.delete(id));
  }

  /** A repeat joins the removal that is under way: the session is given back at its end. */
  private removeStored(id: string): Promise<void> {
    const running = this.running.get(id) ?? this.removeOnce(id).finally(() => this.running.delete(id));
    this.running.set(id, running);
    return running;
  }

  private async removeOnce(id: string): Promise<void> {
    await this.sessions.use(id, async (session) => {
      await session.close("deleted");
      for (const child of await this.below(id)) {
        await this.sessions.use(child, async (one) => {
          await one.close("deleted");
          await one.erase();
        });
      }
      await session.erase();
      if (session.ledger.facts.mcpServers) await this.options.mcp.forget(id);
    });
    this.sessions.forget(id);
  }

  /** The sessions of its sub-agents, those that work for others before them. */
  private async below(id: string): Promise<string[]> {
    const ids: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.options.log.list({ parent: id, limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const child of page) ids.push(...(await this.below(child.id)), child.id);
      if (page.length < PAGE) return ids;
      after = page.at(-1)?.id;
    }
  }
}
