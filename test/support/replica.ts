import { renameSync } from "node:fs";
import { join } from "node:path";
import type { PostgresServer } from "./postgres-server.ts";

/** A replica that has what its server had when it was made, and lags from then on. */
export interface LaggingReplica {
  /** The server is gone at once, and the replica takes its place, at the same address. */
  promote(): Promise<void>;
}

let made = 0;

export function makeReplica(postgres: PostgresServer): LaggingReplica {
  const replica = join(postgres.directory, `replica-${++made}`);
  const from = ["-h", postgres.directory, "-p", String(postgres.port), "-U", "parley"];
  postgres.program("pg_basebackup", [...from, "-D", replica, "-R", "-X", "stream", "-c", "fast"]);
  return {
    async promote() {
      await postgres.halt("immediate");
      renameSync(postgres.data, `${postgres.data}.old-${made}`);
      renameSync(replica, postgres.data);
      await postgres.run();
      postgres.program("pg_ctl", ["-D", postgres.data, "-w", "promote"]);
    },
  };
}
