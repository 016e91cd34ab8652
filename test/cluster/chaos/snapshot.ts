import type { Fault } from "./faults.ts";

/** A backup reads for long: rows that were taken out of tables stay there as dead ones. Clients and nodes go on meanwhile. */
export function holdSnapshot(seconds: number): Fault {
  return {
    name: `a snapshot held open for ${seconds} s`,
    async run({ cluster, figure }) {
      const before = await cluster.position();
      const began = performance.now();
      await cluster.sql(
        `BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM events; SELECT pg_sleep(${seconds}); COMMIT`,
      );
      const each = ((await cluster.position()) - before) / ((performance.now() - began) / 1_000);
      figure(`events a second beside a snapshot held for ${seconds} s`, each);
    },
  };
}
