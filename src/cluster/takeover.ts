import { isParleyError } from "../core/errors.ts";
import type { Logger } from "../core/logger.ts";
import { isStorageRefusal } from "../core/storage-refusal.ts";
import type { Membership } from "./membership.ts";
import { nodeOf } from "./node.ts";
import type { Sql } from "./sql.ts";

export interface TakeoverOptions {
  sql: Sql;
  membership: Membership;
  logger: Logger;
  /** Closes the open turn of a session, whose last node is dead. */
  closeTurn(session: string): Promise<void>;
  /** Has the prompts that wait in a session run here. */
  goOn(session: string): Promise<void>;
  /** Has another node do the same. */
  askGoOn(address: string, session: string): Promise<void>;
  /** Whether a session is in memory here: then it is looked after. */
  holds(session: string): boolean;
  /** Hears of each session that was looked after. */
  counted(): void;
}

interface LeftRow {
  id: string;
  place: string;
}

/** How many sessions are looked after at once. */
const AT_ONCE = 50;

/** Refusals that say: another node was quicker, or this one may no longer. */
const NOT_MINE = new Set(["wrong_node", "fenced", "session_not_found", "shutting_down"]);

/**
 * Looks after the sessions that nodes left: closes the open turns of those that died, and has prompts that wait go on at their
 * place, also where their node stopped in order. So it does with sessions that this node itself has by the database and not
 * in memory: a hold whose answer was lost, or one that a failover of the database brought back.
 */
export class Takeover {
  private readonly options: TakeoverOptions;
  private running: Promise<void> | undefined;
  private again = false;
  private failed = false;

  constructor(options: TakeoverOptions) {
    this.options = options;
  }

  /** Something could not be looked after: it needs another look. */
  get unfinished(): boolean {
    return this.failed;
  }

  /** Looks after all that dead nodes left. At most one look is under way; a call during one makes another follow. */
  look(): Promise<void> {
    if (this.running) {
      this.again = true;
      return this.running;
    }
    this.running = this.lookAll().finally(() => {
      this.running = undefined;
      if (!this.again) return;
      this.again = false;
      void this.look();
    });
    return this.running;
  }

  private async lookAll(): Promise<void> {
    const { sql, logger, membership, holds } = this.options;
    this.failed = false;
    try {
      let after = "";
      for (;;) {
        const left = await sql.query<LeftRow>(
          `SELECT s.id, s.place
           FROM sessions s JOIN owners o ON o.sid = s.sid LEFT JOIN nodes n ON n.node = o.node
           WHERE s.unsettled AND s.state IS NOT NULL AND s.id > $1
             AND (o.released OR coalesce(n.dead, true) OR o.node = $4) AND (NOT o.released OR s.place = $3)
           ORDER BY s.id LIMIT $2`,
          [after, AT_ONCE, membership.place, membership.node],
        );
        await Promise.all(left.filter(({ id }) => !holds(id)).map((session) => this.lookAfter(session)));
        if (left.length < AT_ONCE) return;
        after = left.at(-1)?.id ?? after;
      }
    } catch (error) {
      this.failed = true;
      logger.warn({ err: error }, "sessions of dead nodes could not be looked after; the next look tries again");
    }
  }

  private async lookAfter({ id, place }: LeftRow): Promise<void> {
    const { closeTurn, logger, counted } = this.options;
    try {
      await closeTurn(id);
      counted();
      await this.passOn(id, place);
    } catch (error) {
      if (isParleyError(error) && NOT_MINE.has(error.code)) return;
      this.failed ||= isStorageRefusal(error);
      logger.warn({ session: id, err: error }, "a session of a dead node could not be looked after");
    }
  }

  /** Prompts that wait need the session's directory. Where no node has it, they wait for one that starts there. */
  private async passOn(id: string, place: string): Promise<void> {
    const { membership, goOn, askGoOn } = this.options;
    if (place === membership.place && !membership.isDraining) return goOn(id);
    const other = nodeOf(membership.peers(), place);
    if (other) await askGoOn(other.address, id);
  }
}
