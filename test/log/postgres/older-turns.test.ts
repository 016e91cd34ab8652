import assert from "node:assert/strict";
import { test } from "node:test";
import { needsPostgres, sharedPostgres } from "../../support/postgres.ts";
import { writeOlder } from "../older-turns.ts";
import { openNode } from "./place.ts";

test("turns of an older Parley are counted once by the nodes of a database", needsPostgres, async () => {
  const server = await sharedPostgres();
  const name = await server.preparedDatabase();
  const url = server.url(name);
  const { log } = await openNode({ url, directory: "one" });
  const expected = await writeOlder(log);
  await log.close();
  await server.sql(name, "DELETE FROM spent");
  await server.sql(name, "UPDATE meta SET value = (SELECT max(sid) FROM sessions)::text WHERE name = 'uncounted'");
  const nodes = await Promise.all([openNode({ url, directory: "one" }), openNode({ url, directory: "two" })]);
  for (const node of nodes) {
    const spent = await node.log.spent({ after: 0, limit: 99 });
    assert.deepEqual(spent.map(({ session, seq, model }) => `${session}:${seq} ${model}`).sort(), expected);
  }
  for (const node of nodes) await node.log.close();
  assert.deepEqual(await server.sql(name, "SELECT value FROM meta WHERE name = 'uncounted'"), [{ value: "0" }]);
});
