import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, Records, StoredEvent, Tables } from "../records.ts";
import { checkRecords } from "./run.ts";
import { LIMITS, soundRun } from "./sample.ts";

type Change = (run: Records) => Partial<Omit<Records, "tables">> & { tables?: Partial<Tables> };

function rulesBroken(change: Change): string[] {
  const run = soundRun();
  const changed = change(run);
  const records = { ...run, ...changed, tables: { ...run.tables, ...changed.tables } };
  return [...new Set(checkRecords(records, LIMITS).map(({ rule }) => rule))].sort();
}

const called = (change: Partial<Call>): Call => ({
  kind: "prompt",
  session: "ses_1",
  key: "msg_9",
  outcome: "ok",
  node: "a",
  from: 0,
  to: 1,
  ...change,
});

/** An event with other words in its JSON. */
function reworded(events: readonly StoredEvent[], seq: number, from: string, to: string): StoredEvent[] {
  return events.map((event) => (event.seq === seq ? { ...event, json: event.json.replace(from, to) } : event));
}

const DELTA = JSON.stringify({ id: "ses_1:3", seq: 3, session: "ses_1", type: "item.delta", time: 3_000, data: {} });

/** A run whose number 3 was a delta that is folded now: the turn ends with number 4. */
const folded: Change = ({ tables, seen, watches }) => {
  const events = tables.events.filter(({ seq }) => seq < 3);
  const end = tables.events.find(({ seq }) => seq === 3);
  const json = (end?.json ?? "").replace('"ses_1:3","seq":3', '"ses_1:4","seq":4');
  const last = { session: "ses_1", seq: 4, folded: 1, json };
  const told = { session: "ses_1", seq: 4, json: `${json.slice(0, -1)},"folded":1}`, client: "w2" };
  return {
    calls: [],
    seen: [...seen.slice(0, 2), { session: "ses_1", seq: 3, json: DELTA, client: "w1" }, told],
    watches,
    tables: { events: [...events, last] },
  };
};

const cases: [what: string, change: Change, rules: string[]][] = [
  ["nothing", () => ({}), []],
  ["a delta that is folded, seen by some", folded, []],
  [
    "a deleted session that is there",
    ({ doomed }) => ({ doomed: [...doomed, { session: "ses_1", outcome: "ok" }] }),
    ["deleted"],
  ],
  [
    "a session that is gone, and was not deleted",
    () => ({ doomed: [{ session: "ses_3", outcome: "failed" }] }),
    ["deleted"],
  ],
  [
    "an acknowledged prompt that is not there",
    ({ calls }) => ({ calls: [...calls, called({})] }),
    ["acknowledged-stored"],
  ],
  [
    "an acknowledged session that is not there",
    () => ({ calls: [called({ kind: "create" })] }),
    ["acknowledged-stored"],
  ],
  ["an acknowledged title that is not there", () => ({ calls: [called({ kind: "rename" })] }), ["acknowledged-stored"]],
  [
    "an acknowledged answer that is not there",
    () => ({ calls: [called({ kind: "answer" })] }),
    ["acknowledged-stored"],
  ],
  [
    "a turn that was cancelled and ended otherwise",
    () => ({ calls: [called({ kind: "cancel", key: "trn_1" })] }),
    ["acknowledged-stored", "laws"],
  ],
  [
    "a refused prompt that is there",
    () => ({ calls: [called({ key: "msg_1", outcome: "failed" })] }),
    ["refused-absent"],
  ],
  ["a receipt with another prompt's number", () => ({ calls: [called({ key: "msg_1", seq: 3 })] }), ["receipt"]],
  [
    "a prompt that began twice",
    ({ tables }) => ({ seen: [], tables: { events: [...tables.events, ...again(tables.events, 2, 5)] } }),
    ["laws", "one-end", "stored-once", "times"],
  ],
  [
    "a session that was made twice",
    ({ tables }) => ({ tables: { events: [...tables.events, other(tables.events)] } }),
    ["stored-once"],
  ],
  [
    "a hole",
    ({ tables }) => ({ seen: [], watches: [], tables: { events: tables.events.filter(({ seq }) => seq !== 3) } }),
    ["laws", "no-hole", "one-end"],
  ],
  ["a session without events", () => ({ tables: { sessions: [{ id: "ses_2", first: 1 }] } }), ["no-hole"]],
  [
    "a seen event with other bytes",
    ({ tables }) => ({ tables: { events: reworded(tables.events, 4, '"t2"', '"t2" ') } }),
    ["seen-stored"],
  ],
  [
    "a seen event that is gone",
    ({ seen }) => ({ seen: [...seen, { session: "ses_1", seq: 5, json: seen[3]?.json ?? "", client: "w1" }] }),
    ["seen-stored"],
  ],
  [
    "a seen delta that is gone without a fold",
    (run) => ({ ...folded(run), tables: { events: run.tables.events.slice(0, 2) } }),
    ["laws", "one-end", "seen-stored"],
  ],
  [
    "a turn without an end",
    ({ tables }) => ({
      seen: [],
      watches: [],
      tables: { events: tables.events.filter(({ seq }) => seq < 3) },
      calls: [],
    }),
    ["laws", "one-end"],
  ],
  [
    "a time that steps back",
    ({ tables }) => ({ seen: [], tables: { events: reworded(tables.events, 4, '"time":4000', '"time":2000') } }),
    ["times"],
  ],
  [
    "an epoch that falls",
    ({ tables }) => ({
      tables: { commits: tables.commits.map((one) => (one.from === 4 ? { ...one, epoch: 1 } : one)) },
    }),
    ["epochs-grow"],
  ],
  ["an append without a position", () => ({ tables: { unordered: 1 } }), ["ordered"]],
  [
    "an append with two positions",
    ({ tables }) => ({
      tables: { commits: [...tables.commits, { position: 15, session: "ses_1", from: 4, to: 4, epoch: 2 }] },
    }),
    ["all-stream", "ordered"],
  ],
  [
    "an append by who does not own the session",
    ({ tables }) => ({ tables: { appends: tables.appends.map((one) => ({ ...one, by: "a" })) } }),
    ["one-writer"],
  ],
  [
    "an append of an epoch that is over",
    ({ tables }) => ({
      tables: { appends: tables.appends.map((one) => (one.from === 1 ? { ...one, at: 5_950 } : one)) },
    }),
    ["stale-append"],
  ],
  [
    "an epoch of two nodes",
    ({ tables }) => ({ tables: { ownings: tables.ownings.map((one) => ({ ...one, epoch: 1 })), appends: [] } }),
    ["one-writer"],
  ],
  [
    "a session that is taken from the living",
    ({ tables }) => ({
      tables: { ownings: tables.ownings.map((one) => (one.epoch === 2 ? { ...one, at: 4_900 } : one)) },
    }),
    ["taken-free"],
  ],
  [
    "a node declared dead while its lease runs",
    ({ tables }) => ({
      tables: { nodes: tables.nodes.map((one) => (one.dead ? { ...one, leaseUntil: 5_500 } : one)) },
    }),
    ["death"],
  ],
  [
    "a node declared dead by one that was cut off",
    ({ tables }) => ({
      tables: { nodes: tables.nodes.filter(({ name, at, dead }) => dead || name === "a" || at < 100 || at > 4_800) },
    }),
    ["death"],
  ],
  [
    "a turn that stays open while others are up",
    ({ tables }) => ({
      tables: { appends: tables.appends.map((one) => (one.from >= 3 ? { ...one, at: one.at + 5_000 } : one)) },
    }),
    ["open-turn"],
  ],
  [
    "a stream that steps back",
    ({ watches }) => ({ watches: watches.map((one) => ({ ...one, events: [...one.events].reverse() })) }),
    ["all-stream"],
  ],
  [
    "a stream that lacks an event",
    ({ watches }) => ({
      watches: watches.map((one) => ({ ...one, events: one.events.filter(({ seq }) => seq !== 3) })),
    }),
    ["all-stream"],
  ],
  [
    "an event that comes twice in a stream",
    ({ watches }) => ({
      watches: watches.map((one) => ({ ...one, events: [...one.events, ...one.events.slice(-1)] })),
    }),
    ["all-stream"],
  ],
  [
    "a stream in another order than that of later readers",
    ({ tables }) => ({ tables: { commits: swapped(tables) } }),
    ["all-stream", "ordered", "epochs-grow"].sort(),
  ],
  [
    "a read that does not see what was acknowledged",
    ({ reads }) => ({ reads: reads.map((one) => ({ ...one, sees: false })) }),
    ["read-after-write"],
  ],
  [
    "an agent that lives on",
    ({ agents }) => ({ agents: agents.map((one) => ({ ...one, seenMs: 5_001 })) }),
    ["fenced-agent"],
  ],
  ["a process that is left", () => ({ left: ["pid 7 of node a"] }), ["left-running"]],
  ["an answer that nobody may get", () => ({ surprises: ["500 of POST /v1/sessions"] }), ["answer"]],
];

/** The same event under another number. */
function again(events: readonly StoredEvent[], seq: number, as: number): StoredEvent[] {
  return reworded(events, seq, `"ses_1:${seq}","seq":${seq}`, `"ses_1:${as}","seq":${as}`)
    .filter((event) => event.seq === seq)
    .map((event) => ({ ...event, seq: as }));
}

/** The first event in a session of its own. */
function other(events: readonly StoredEvent[]): StoredEvent {
  return { session: "ses_2", seq: 1, folded: 0, json: (events[0]?.json ?? "").replaceAll("ses_1", "ses_2") };
}

function swapped({ commits }: Tables): Tables["commits"] {
  const [first, second, third] = commits;
  assert.ok(first && second && third);
  return [{ ...first, position: 13 }, { ...second, position: 11 }, third];
}

describe("the checker of chaos notices", () => {
  for (const [what, change, rules] of cases) test(what, () => assert.deepEqual(rulesBroken(change), rules));
});
