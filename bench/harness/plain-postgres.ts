import { readAddress } from "../../src/postgres/address.ts";
import { type Connection, connect } from "../../src/postgres/connection.ts";

const LIMIT_MS = 60_000;

/** Rows as somebody would write them who keeps no promise: one table, one key, a statement a group. */
export interface PlainWriter {
  insert(count: number): Promise<void>;
}

export async function plainWriters(
  scope: AsyncDisposableStack,
  url: string,
  count: number,
  json: string,
): Promise<PlainWriter[]> {
  const address = readAddress(url);
  const connections: Connection[] = [];
  for (let of = 0; of < count; of++) {
    const connection = await connect({ address, limitMs: LIMIT_MS });
    scope.defer(() => connection.end());
    connections.push(connection);
  }
  await connections[0]?.run(
    "CREATE TABLE IF NOT EXISTS plain (sid bigint, seq bigint, type text, item text, json text, PRIMARY KEY (sid, seq))",
    [],
    LIMIT_MS,
  );
  return connections.map((connection, sid) => {
    let seq = Math.floor(performance.now() * 1000);
    return {
      async insert(rows) {
        const values = Array.from({ length: rows }, () => [sid, ++seq, "item.delta", "prt_1", json]);
        const places = values.map((row, at) => `(${row.map((_, of) => `$${at * row.length + of + 1}`).join(",")})`);
        await connection.run(`INSERT INTO plain VALUES ${places.join(",")}`, values.flat(), LIMIT_MS);
      },
    };
  });
}
