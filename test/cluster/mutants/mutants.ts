import type { Edit } from "./copy.ts";
import {
  deafNode,
  foldedEnd,
  lateCommit,
  lostAnswer,
  lostEnd,
  type Scenario,
  staleAppend,
  takenInCommit,
  twoWriters,
} from "./log-scenarios.ts";
import { backSooner, startBesideTurn } from "./node-scenarios.ts";
import { renames, words } from "./ways.ts";

/** A deliberate break of what keeps nodes apart: its scenario must notice it, as a break of this rule. */
export interface Mutant {
  what: string;
  scenario: Scenario;
  rule: string;
  edits: readonly Edit[];
}

/** The situations, each with its name. With the real source none of them shows anything wrong. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a node that was declared dead writes on": staleAppend(renames),
  "a node that was declared dead says a word": staleAppend(words),
  "the database loses its end": lostEnd(renames),
  "the database loses a word": lostEnd(words),
  "the answer to an append is lost": lostAnswer(renames),
  "the answer to the append of a word is lost": lostAnswer(words),
  "a session is taken while its old owner commits": takenInCommit,
  "two nodes write and are watched": twoWriters,
  "an append is committed later than one that began after it": lateCommit(renames),
  "a word is committed later than one that began after it": lateCommit(words),
  "deltas at the end of the order are folded": foldedEnd,
  "no notification comes": deafNode,
  "a node starts beside another one's turn": startBesideTurn,
  "the database comes back for one node sooner": backSooner,
};

const append = "src/postgres/schema/append-1.ts";
const appendOne = "src/postgres/schema/append-one-2.ts";
const log = "src/log/postgres/log.ts";

/** A repeat takes the numbers after those of the first try. */
const NEW_NUMBERS: readonly Edit[] = [
  {
    file: "src/gateway/session/session-store.ts",
    find: "    const records = await this.hold.append(this.lastSeq, entries);\n    this.lastSeq += entries.length;",
    replace:
      "    this.lastSeq += entries.length;\n    const records = await this.hold.append(this.lastSeq - entries.length, entries);",
  },
  {
    file: "src/log/plan-append.ts",
    find: "if (entries.length > 0 && after > target.last) throw doesNotFollow(append, target);",
    replace: "target.last = after;",
  },
];

export const mutants: readonly Mutant[] = [
  {
    what: "no epoch in the append",
    scenario: staleAppend(renames),
    rule: "stale-append",
    edits: [
      {
        file: append,
        find: "AND o.node = me AND o.epoch = a_epoch[i] AND NOT o.released FOR SHARE",
        replace: "FOR SHARE",
      },
    ],
  },
  {
    what: "no predecessor check",
    scenario: lostEnd(renames),
    rule: "no-hole",
    edits: [{ file: append, find: "IF last = a_from[i] - 1 THEN", replace: "IF last < a_from[i] THEN" }],
  },
  {
    what: "new numbers on a repeat",
    scenario: lostAnswer(renames),
    rule: "stored-once",
    edits: NEW_NUMBERS,
  },
  {
    what: "new numbers on a repeat of a word",
    scenario: lostAnswer(words),
    rule: "stored-once",
    edits: NEW_NUMBERS,
  },
  {
    what: "no epoch in the append of a word",
    scenario: staleAppend(words),
    rule: "stale-append",
    edits: [
      {
        file: appendOne,
        find: "AND o.node = me AND o.epoch = a_epoch AND NOT o.released FOR SHARE",
        replace: "FOR SHARE",
      },
    ],
  },
  {
    what: "no predecessor check for a word",
    scenario: lostEnd(words),
    rule: "no-hole",
    edits: [{ file: appendOne, find: "IF last IS DISTINCT FROM a_seq - 1 THEN RETURN 'lost'; END IF;", replace: "" }],
  },
  {
    what: "a word that is stored already is taken for one that was lost",
    scenario: lostAnswer(words),
    rule: "answer",
    edits: [{ file: appendOne, find: "IF last >= a_seq THEN RETURN 'repeated'; END IF;", replace: "" }],
  },
  {
    what: "the position of a word is taken before its commit",
    scenario: lateCommit(words),
    rule: "all-stream",
    edits: [
      {
        file: appendOne,
        find: "INSERT INTO unordered (sid, seq_from, seq_to, epoch) VALUES (a_sid,",
        replace:
          "INSERT INTO commits (position, sid, seq_from, seq_to, epoch) VALUES (nextval('unordered_id_seq'), a_sid,",
      },
    ],
  },
  {
    what: "the head is read with the takeover, not after it",
    scenario: takenInCommit,
    rule: "answer",
    edits: [
      {
        file: log,
        find: "    const { sid, epoch } = await takeSession(",
        replace: "    const found = await sessions.find(session);\n    const { sid, epoch } = await takeSession(",
      },
      { file: log, find: "    const found = await sessions.find(session);\n    const head", replace: "    const head" },
    ],
  },
  {
    what: "own commits are told as the order over all sessions",
    scenario: twoWriters,
    rule: "all-stream",
    edits: [
      { file: log, find: "  let fences = 0;", replace: "  let fences = 0;\n  let guess = position;" },
      {
        file: log,
        find: "      follower.stored(records, told);",
        replace:
          "      follower.stored(records, told);\n      listeners.tellAll(records.map((record, at) => ({ ...record, position: guess + at + 1 })), told, guess);\n      guess += records.length;",
      },
    ],
  },
  {
    what: "positions are taken before the commit",
    scenario: lateCommit(renames),
    rule: "all-stream",
    edits: [
      {
        file: append,
        find: "INSERT INTO unordered (sid, seq_from, seq_to, epoch)\n    SELECT sids[u.i]",
        replace:
          "INSERT INTO commits (position, sid, seq_from, seq_to, epoch)\n    SELECT nextval('unordered_id_seq'), sids[u.i]",
      },
    ],
  },
  {
    what: "the newest position is forgotten with folded deltas",
    scenario: foldedEnd,
    rule: "all-stream",
    edits: [
      {
        file: "src/postgres/schema/forget-1.ts",
        find: "rop_to[i] AND c.seq_from >= drop_from[i]\n      AND c.position < (SELECT max(n.position) FROM commits n);",
        replace: "rop_to[i] AND c.seq_from >= drop_from[i];",
      },
    ],
  },
  {
    what: "recovery looks after sessions that others own",
    scenario: startBesideTurn,
    rule: "taken-free",
    edits: [
      {
        file: "src/gateway/tenure.ts",
        find: "await log.unsettled(log.owner)",
        replace: "await log.unsettled()",
      },
      {
        file: "src/postgres/schema/holds-1.ts",
        find: "IF NOT held.released AND held.node <> taker THEN",
        replace: "IF false THEN",
      },
    ],
  },
  {
    what: "death is declared by who was cut off",
    scenario: backSooner,
    rule: "death",
    edits: [
      {
        file: "src/cluster/lease.ts",
        find: "return unbrokenSince !== undefined && now - unbrokenSince >= lengthMs && !isOver(lease, now);",
        replace: "return !isOver(lease, now);",
      },
    ],
  },
  {
    what: "hints are taken for the truth: nobody polls",
    scenario: deafNode,
    rule: "answer",
    edits: [
      {
        file: log,
        find: "      if ((await follower.poll(orderer.floor())) || orderer.due()) orderer.stored();\n",
        replace: "",
      },
    ],
  },
];
