import { randomUUID } from "node:crypto";
import type { Entry, Hold } from "../../src/log/contract.ts";
import { createPostgresLog, type PostgresLog } from "../../src/log/postgres/log.ts";
import { openDatabase } from "../../src/postgres/database.ts";

export interface BenchNode {
  log: PostgresLog;
  /** A session of its own, and the way to append to it. */
  writer(): Promise<Writer>;
}

export interface Writer {
  session: string;
  append(entries: readonly Entry[]): Promise<void>;
}

export async function startNode(scope: AsyncDisposableStack, url: string, name: string): Promise<BenchNode> {
  const database = await openDatabase({ url });
  scope.defer(() => database.close());
  const [row] = await database.control<{ node: number }>(
    `INSERT INTO nodes (directory, name, address, place, version, lease_until)
     VALUES ($1, $1, 'http://127.0.0.1:1', 'here', 'bench', clock_timestamp() + interval '1 hour') RETURNING node`,
    [name],
  );
  const node = row?.node ?? 0;
  const log = await createPostgresLog({ database, directory: name, node: () => node, place: "here" });
  scope.defer(() => log.close());
  return {
    log,
    async writer() {
      const session = `ses_${randomUUID()}`;
      const hold: Hold = await log.open({ id: session });
      let last = 0;
      const append = async (entries: readonly Entry[]): Promise<void> => {
        await hold.append(last, entries);
        last += entries.length;
      };
      const data = { agent: "bench", directory: "/bench", version: 1 } as const;
      await append([{ draft: { type: "session.started", time: 1, source: "parley", data } }]);
      return { session, append };
    },
  };
}

/** So many pieces of text. */
export function pieces(count: number, text: string): Entry[] {
  const data = { item: "prt_1", field: "text", delta: text } as const;
  return Array.from({ length: count }, () => ({ draft: { type: "item.delta", time: 1, source: "agent", data } }));
}
