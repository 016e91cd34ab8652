import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Log } from "../../src/log/contract.ts";
import { openSqliteLog } from "../../src/log/sqlite/open.ts";
import type { Random } from "../support/random.ts";
import { drafts, entries } from "./drafts.ts";
import { append, create, fold, prune, remove } from "./writers.ts";

export const SESSIONS = ["ses_a", "ses_b", "ses_c"];

/** A log with several sessions, long events, folded ones, a pruned session and a deleted one. */
export async function fillLog(directory: string): Promise<void> {
  const log = await openSqliteLog({ directory, sync: "process", keepNative: true });
  for (const [index, id] of SESSIONS.entries()) await fillSession(log, id, index);
  await create(log, "ses_gone", drafts.updated("a secret that was deleted"), drafts.ended("deleted"));
  await remove(log, "ses_gone");
  await log.close();
}

async function fillSession(log: Log, id: string, index: number): Promise<void> {
  await create(log, id);
  for (let turn = 1; turn <= 8; turn++) {
    const name = `trn_${id}_${turn}`;
    const deltas = Array.from({ length: 6 }, (_, n) => drafts.delta(`${name}_m`, `piece ${n} of ${name} `));
    await append(log, id, entries(drafts.turnStarted(name, `msg_${id}_${turn}`), ...deltas));
    const long = `${name} `.repeat(turn % 3 === 0 ? 900 : 20);
    const draft = drafts.completed(`${name}_m`, long);
    await append(log, id, [{ draft, native: `{"line":"${name}"}` }, { draft: drafts.turnEnded(name) }]);
  }
  const { last } = (await log.head(id)) ?? { last: 0 };
  if (index === 1) await fold(log, id, last);
  if (index === 2) await prune(log, id, last - 30);
}

/** Changes so many bytes of a file, each at a place that `random` gives. Returns the places. */
export function spoil(directory: string, count: number, random: Pick<Random, "next">): number[] {
  const file = path.join(directory, "parley.db");
  const bytes = readFileSync(file);
  const places = Array.from({ length: count }, () => Math.floor(random.next() * bytes.length));
  for (const place of places)
    bytes.writeUInt8((bytes.readUInt8(place) ^ (1 + Math.floor(random.next() * 255))) & 0xff, place);
  writeFileSync(file, bytes);
  return places;
}
