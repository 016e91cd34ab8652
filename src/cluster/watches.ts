import type { Logger } from "../core/logger.ts";
import type { Watches } from "../gateway/attachments.ts";
import type { Sql } from "./sql.ts";

export interface ClusterWatchesOptions {
  sql: Sql;
  node(): number;
  logger: Logger;
  /** Tells the other nodes that something has changed. */
  hint(): void;
}

/** All sessions, as a name in the table. */
const ALL = "";

const nameOf = (session: string | null): string => session ?? ALL;

/** The clients that watch through other nodes: a row for each session that a node has clients for, as long as the node lives. */
export class ClusterWatches implements Watches {
  private readonly options: ClusterWatchesOptions;
  /** Sessions that clients of this node watch. */
  private readonly own = new Set<string>();
  private readonly dirty = new Set<string>();
  private writing: Promise<void> | undefined;
  private others = new Set<string>();
  private looking: Promise<void> | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(options: ClusterWatchesOptions) {
    this.options = options;
  }

  tell(session: string | null, watched: boolean): void {
    const name = nameOf(session);
    if (watched) this.own.add(name);
    else this.own.delete(name);
    this.dirty.add(name);
    void this.written();
  }

  /** Resolves when what has changed is written, or could not be. */
  private written(): Promise<void> {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  /** Writes all again: the node is registered under another number. */
  renew(): void {
    for (const name of this.own) this.tell(name === ALL ? null : name, true);
  }

  /** Writes until nothing has changed meanwhile. A row that could not be written is written with the next change or look. */
  private async write(): Promise<void> {
    const { sql, node, logger, hint } = this.options;
    await undefined;
    while (this.dirty.size > 0) {
      const names = [...this.dirty];
      this.dirty.clear();
      const kept = names.filter((name) => this.own.has(name));
      const gone = names.filter((name) => !this.own.has(name));
      try {
        await sql.change(
          `WITH gone AS (DELETE FROM watches WHERE node = $1 AND session = ANY ($3::text[]))
           INSERT INTO watches (node, session) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
          [node(), kept, gone],
        );
        hint();
      } catch (error) {
        for (const name of names) this.dirty.add(name);
        logger.info({ err: error }, "the clients that watch could not be told to the other nodes");
        return;
      }
    }
  }

  elsewhere(session: string, root: string | undefined): boolean {
    return this.others.has(ALL) || this.others.has(session) || (root !== undefined && this.others.has(root));
  }

  look(): Promise<void> {
    this.looking ??= this.read().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async read(): Promise<void> {
    const { sql, node } = this.options;
    if (this.dirty.size > 0) await this.written();
    const rows = await sql.query<{ session: string }>(
      "SELECT DISTINCT w.session FROM watches w JOIN nodes n ON n.node = w.node AND NOT n.dead WHERE w.node <> $1",
      [node()],
    );
    const now = new Set(rows.map(({ session }) => session));
    const left = [...this.others].some((name) => !now.has(name));
    this.others = now;
    if (left) for (const listener of this.listeners) listener();
  }

  onDetach(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
