import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeReplica } from "../../support/replica.ts";
import { copyWith } from "../mutants/copy.ts";
import { busiest, databaseGone, type Fault, ready } from "./faults.ts";
import { ROOT } from "./node.ts";
import { holdSnapshot } from "./snapshot.ts";

/** Replaces a node by one of another version, as an upgrade or a step back does. */
export const otherVersion: Fault = {
  name: "a node of another version",
  async run(stage) {
    const { cluster, random } = stage;
    const node = await busiest(stage);
    const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
    const file = "package.json";
    const find = `"version": "${version}"`;
    const copy = copyWith([{ file, find, replace: `"version": "${random.pick(["0.0.9", "9.9.9"])}"` }]);
    stage.atEnd(() => copy[Symbol.dispose]());
    cluster.down(node, "replaced");
    await node.end("SIGTERM");
    node.program = node.program === ROOT ? copy.root : ROOT;
    await cluster.restart(node);
  },
};

/** The schema becomes newer than all nodes know, in a way that they can live with; a node starts anew on it. */
export const newerSchema: Fault = {
  name: "a newer schema",
  async run(stage) {
    const { cluster } = stage;
    await cluster.sql(`ALTER TABLE sessions ADD COLUMN IF NOT EXISTS later text;
      ALTER TABLE events ADD COLUMN IF NOT EXISTS later text;
      UPDATE meta SET value = (value::int + 1)::text WHERE name = 'schema'`);
    const node = await busiest(stage);
    await cluster.kill(node);
    await cluster.restart(node);
  },
};

/**
 * The database fails over to a replica that lags: what was acknowledged in between is lost, which Parley cannot mend. It must
 * not make it worse.
 */
export const promoteReplica: Fault = {
  name: "a lagging replica promoted",
  async run({ cluster, random, pause, figure }) {
    const { postgres, nodes } = cluster;
    const replica = makeReplica(postgres);
    await pause(random.between(500, 1_500));
    const before = await cluster.position();
    for (const node of nodes) cluster.down(node, "failover");
    await replica.promote();
    figure("positions lost in a failover", before - (await cluster.position()));
    await Promise.all(nodes.map(ready));
    for (const node of nodes) cluster.up(node);
  },
};

/** No turn ends for it, and none is lost: `checkDeaths` and the laws look at what is left. */
const databaseAwayLong: Fault = {
  name: "the database away for everybody for 60 s",
  run: (stage) => databaseGone(stage, "fast", 60_000),
};

/** Faults that take a minute each: only long runs have the time. */
export const LONG_FAULTS: readonly Fault[] = [databaseAwayLong, holdSnapshot(60)];
