import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseFacts } from "../../../src/cli/doctor/database/facts.ts";
import { judgeDatabase } from "../../../src/cli/doctor/database/judge.ts";

const SOUND: DatabaseFacts = {
  where: "db.example:5432/parley",
  user: "parley",
  database: "parley",
  server: {
    version: 150_018,
    shown: "15.18",
    encoding: "UTF8",
    readOnly: false,
    fsync: true,
    synchronousCommit: "on",
    synchronousStandbys: "",
    mayCreate: true,
    mayWrite: true,
  },
  schema: { found: 1, oldest: 1, newest: 1 },
  replicas: [],
  clock: { aheadMs: 3, withinMs: 1 },
  tables: [{ name: "events", live: 1_000_000, dead: 100_000 }],
  nodes: [
    { name: "a", place: "box", address: "http://127.0.0.1:7420", leaseLeftMs: 9_000 },
    { name: "b", place: "box", address: "http://127.0.0.1:7421", leaseLeftMs: 8_000 },
  ],
  left: [],
  unorderedMs: undefined,
};

const server = (more: Partial<DatabaseFacts["server"]>): Partial<DatabaseFacts> => ({
  server: { ...SOUND.server, ...more },
});
const node = (name: string, place: string, address: string, leaseLeftMs = 9_000): DatabaseFacts["nodes"][number] => ({
  name,
  place,
  address,
  leaseLeftMs,
});

test("a sound database has nothing but good news", () => {
  assert.deepEqual(
    judgeDatabase(SOUND).map(({ name, level, detail }) => `${level} ${name}: ${detail}`),
    [
      "ok database: db.example:5432/parley as parley, PostgreSQL 15.18",
      "ok durability: fsync on, synchronous_commit on",
      "ok schema: 1",
      "ok clock: that of this machine is the database's",
      "ok nodes: a (box), b (box)",
    ],
  );
});

const rows: [what: string, facts: Partial<DatabaseFacts>, worse: RegExp[]][] = [
  [
    "an older PostgreSQL",
    server({ version: 140_009 }),
    [/^bad database: expected PostgreSQL 15 or later at .*, got 14/],
  ],
  ["another encoding", server({ encoding: "LATIN1" }), [/^bad database: expected the encoding UTF8/]],
  ["a replica", server({ readOnly: true }), [/^bad database: .* is read-only, as a replica is/]],
  ["fsync off", server({ fsync: false }), [/^warn durability: fsync is off/]],
  [
    "synchronous_commit off",
    server({ synchronousCommit: "off" }),
    [/^warn durability: synchronous_commit is off: events count as stored before/],
  ],
  ["local, without standbys", server({ synchronousCommit: "local" }), []],
  [
    "local, with standbys",
    server({ synchronousCommit: "local", synchronousStandbys: "one" }),
    [/^warn durability: .*local: no standby is waited for/],
  ],
  [
    "remote_write, with standbys",
    server({ synchronousCommit: "remote_write", synchronousStandbys: "one" }),
    [/^warn durability: .*in memory, not on its disk/],
  ],
  ["no schema yet", { schema: { found: 0, oldest: 0, newest: 1 }, nodes: [] }, []],
  [
    "no schema and no right to make it",
    { schema: { found: 0, oldest: 0, newest: 1 }, ...server({ mayCreate: false }) },
    [/^bad schema: user "parley" may not make tables/],
  ],
  ["no right to write", server({ mayWrite: false }), [/^bad schema: user "parley" may not write/]],
  ["a schema that is a version ahead", { schema: { found: 2, oldest: 1, newest: 1 } }, []],
  [
    "a schema from the future",
    { schema: { found: 5, oldest: 3, newest: 1 } },
    [/^bad schema: 5, of a newer Parley; this one knows up to 1/],
  ],
  ["an older schema", { schema: { found: 1, oldest: 1, newest: 2 } }, []],
  [
    "an asynchronous replica",
    { replicas: [{ name: "one", sync: "async" }] },
    [/^warn replicas: one: none is synchronous, so a failover/],
  ],
  [
    "a synchronous replica",
    {
      replicas: [
        { name: "one", sync: "async" },
        { name: "two", sync: "quorum" },
      ],
    },
    [],
  ],
  [
    "replicas that this user may not look at",
    { replicas: [{ name: "one", sync: null }], ...server({ synchronousStandbys: "one" }) },
    [],
  ],
  ["the same, and none is named", { replicas: [{ name: "one", sync: null }] }, [/^warn replicas: /]],
  [
    "a clock ahead",
    { clock: { aheadMs: 3_200, withinMs: 1 } },
    [/^warn clock: this machine's clock is 3\.2 s ahead of the database's/],
  ],
  ["a clock behind", { clock: { aheadMs: -3_600_000, withinMs: 1 } }, [/^warn clock: .* 3600\.0 s behind/]],
  ["a clock that cannot be told for the distance", { clock: { aheadMs: 1_500, withinMs: 700 } }, []],
  [
    "dead rows",
    { tables: [{ name: "unordered", live: 10, dead: 20_000 }] },
    [/^warn tables: unordered: 100 % of 20010 rows are dead/],
  ],
  ["dead rows of a small table", { tables: [{ name: "unordered", live: 10, dead: 5_000 }] }, []],
  ["half of the rows dead", { tables: [{ name: "events", live: 10_000, dead: 10_000 }] }, []],
  [
    "a lease that is over",
    { nodes: [node("a", "box", "http://a:1", -4_200)] },
    [/^warn nodes: leases are over: a \(since 4\.2 s\)/],
  ],
  [
    "sessions of dead nodes, with a node there",
    { left: [{ place: "box", count: 2 }] },
    [/^warn nodes: 2 sessions of dead nodes in place box/],
  ],
  [
    "a session of a dead node, with none there",
    { left: [{ place: "far", count: 1 }] },
    [/^warn nodes: 1 session of dead nodes in place far.* -> prompts that wait go on when/],
  ],
  [
    "loopback between places",
    {
      nodes: [
        node("a", "here", "http://127.0.0.1:1"),
        node("b", "there", "http://[::1]:1"),
        node("c", "there", "http://c.example:1"),
      ],
    },
    [/^warn nodes: a has the address http:\/\/127\.0\.0\.1:1/, /^warn nodes: b has the address/],
  ],
  ["events without a place in the order", { unorderedMs: 12_000 }, [/^warn order: events of 12\.0 s ago/]],
  ["events that wait for a moment", { unorderedMs: 900 }, []],
];

for (const [what, facts, worse] of rows) {
  test(`${what}: ${worse.length === 0 ? "nothing to warn of" : "told"}`, () => {
    const found = judgeDatabase({ ...SOUND, ...facts }).filter(({ level }) => level !== "ok");
    const told = found.map(({ level, name, detail, advice }) => `${level} ${name}: ${detail} -> ${advice}`);
    assert.equal(told.length, worse.length, told.join("\n"));
    for (const [at, wanted] of worse.entries()) assert.match(told[at] ?? "", wanted);
    assert.ok(
      found.every(({ advice }) => advice !== undefined),
      "each has an advice",
    );
  });
}
