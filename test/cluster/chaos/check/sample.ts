import type { Limits, NodeChange, Records } from "../records.ts";

export const LIMITS: Limits = { leaseMs: 2_000, openMs: 7_000, agentMs: 5_000 };

const SESSION = "ses_1";
const TURN = "trn_1";

function event(seq: number, type: string, data: object, turn?: string) {
  const body = {
    id: `${SESSION}:${seq}`,
    seq,
    session: SESSION,
    turn,
    type,
    time: seq * 1_000,
    source: "parley",
    data,
  };
  return { session: SESSION, seq, folded: 0, json: JSON.stringify(body) };
}

/** Renewals of a node every 700 ms. */
function renewals(node: number, name: string, from: number, to: number): NodeChange[] {
  const changes: NodeChange[] = [];
  for (let at = from; at < to; at += 700)
    changes.push({ node, name, dead: false, leaseUntil: at + 2_000, by: name, at });
  return changes;
}

/**
 * A run in which nothing is wrong: node a creates a session and begins a turn, is killed at 3,000, and node b ends the turn at
 * 6,000. Two clients watch.
 */
export function soundRun(): Records {
  const events = [
    event(1, "session.started", { agent: "scripted", directory: "/", title: "t1", version: 1 }),
    event(2, "turn.started", { by: "user", prompt: { id: "msg_1" } }, TURN),
    event(3, "turn.ended", { reason: "interrupted" }, TURN),
    event(4, "session.updated", { title: "t2" }),
  ];
  const call = { session: SESSION, outcome: "ok", node: "a", from: 0, to: 10 } as const;
  const placed = events.map(({ session, seq }) => ({ session, seq, position: seq + 10 }));
  return {
    doomed: [{ session: "ses_gone", outcome: "ok" }],
    calls: [
      { ...call, kind: "create", key: "t1", status: 201 },
      { ...call, kind: "prompt", key: "msg_1", seq: 2, status: 202 },
      { ...call, kind: "prompt", key: "msg_2", outcome: "unknown" },
      { ...call, kind: "prompt", key: "msg_3", outcome: "failed", status: 409 },
      { ...call, kind: "rename", key: "t2", node: "b" },
    ],
    reads: [{ session: SESSION, key: "msg_1", wrote: "a", node: "b", sees: true }],
    seen: events.map(({ session, seq, json }) => ({ session, seq, json, client: "w1" })),
    watches: [
      { client: "w1", after: 0, events: placed },
      { client: "w2", after: 12, events: placed.slice(2) },
    ],
    downs: [{ node: "a", from: 3_000, to: Number.POSITIVE_INFINITY, why: "killed" }],
    agents: [{ node: "a", pid: 7, seenMs: 300 }],
    left: [],
    surprises: [],
    tables: {
      sessions: [{ id: SESSION, first: 1 }],
      events,
      commits: [
        { position: 12, session: SESSION, from: 1, to: 2, epoch: 1 },
        { position: 13, session: SESSION, from: 3, to: 3, epoch: 2 },
        { position: 14, session: SESSION, from: 4, to: 4, epoch: 2 },
      ],
      appends: [
        { session: SESSION, from: 1, to: 2, epoch: 1, by: "a", at: 1_000 },
        { session: SESSION, from: 3, to: 3, epoch: 2, by: "b", at: 6_000 },
        { session: SESSION, from: 4, to: 4, epoch: 2, by: "b", at: 6_100 },
      ],
      ownings: [
        { session: SESSION, epoch: 1, node: 1, released: false, by: "a", at: 1_000 },
        { session: SESSION, epoch: 2, node: 2, released: false, by: "b", at: 5_900 },
        { session: SESSION, epoch: 2, node: 2, released: true, by: "b", at: 6_200 },
      ],
      nodes: [
        ...renewals(1, "a", 0, 3_000),
        ...renewals(2, "b", 0, 8_000),
        { node: 1, name: "a", dead: true, leaseUntil: 4_800, by: "b", at: 5_000 },
      ].sort((one, other) => one.at - other.at),
      unordered: 0,
    },
  };
}
