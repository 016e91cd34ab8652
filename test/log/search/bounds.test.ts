import assert from "node:assert/strict";
import { test } from "node:test";
import { readQuery } from "../../../src/core/search/query.ts";
import type { PlacedRecord, SessionHead } from "../../../src/log/contract.ts";
import { type SearchSource, search } from "../../../src/log/search/search.ts";

const ITEMS = 100_000;
const PAGE_SCANS = 5_000;
const PAGE_CANDIDATES = 576;

/** A log of a hundred thousand messages that are all alike, and the count of those that were read. */
function big(indexed: number | undefined) {
  const read = { scanned: 0, candidates: 0 };
  const record = (position: number): PlacedRecord => ({
    session: "ses_a",
    seq: position,
    position,
    type: "item.completed",
    folded: 0,
    json: JSON.stringify({
      session: "ses_a",
      time: 1,
      type: "item.completed",
      data: { item: { id: "prt_1", kind: "message", role: "assistant", status: "completed", text: "hay stack" } },
    }),
  });
  const head = { first: 1, last: ITEMS, state: { agent: "scripted", directory: "/" } } as unknown as SessionHead;
  const back = (before: number, limit: number): PlacedRecord[] =>
    Array.from({ length: Math.min(limit, before - 1) }, (_, n) => record(before - 1 - n));
  const source: SearchSource = {
    position: () => ITEMS,
    head: () => head,
    readAllBack({ before, limit }) {
      const records = back(before, limit);
      read.scanned += records.length;
      return records.reverse();
    },
  };
  if (indexed !== undefined) {
    source.index = {
      upTo: () => indexed,
      candidates(_, before, limit) {
        const records = back(before, limit);
        read.candidates += records.length;
        return records;
      },
    };
  }
  return { source, read };
}

for (const [what, indexed] of [
  ["without an index", undefined],
  ["with a whole index", ITEMS],
  ["with half an index", ITEMS / 2],
] as const) {
  test(`one page of a search over ${ITEMS} messages reads a bounded number ${what}`, async () => {
    const { source, read } = big(indexed);
    const query = { sought: readQuery('"stack hay"'), limit: 20 };
    let pages = 0;
    for (let before: number | undefined; ; pages++) {
      const page = await search(source, { ...query, before });
      assert.deepEqual(page.hits, []);
      assert.ok(read.scanned <= PAGE_SCANS && read.candidates <= PAGE_CANDIDATES, JSON.stringify(read));
      Object.assign(read, { scanned: 0, candidates: 0 });
      if (page.next === null || pages === 5) break;
      assert.ok(before === undefined || page.next < before);
      before = page.next;
    }
    assert.ok(pages > 1, "and goes on in the next one");
    const { hits } = await search(source, { sought: readQuery("hay"), limit: 20 });
    assert.equal(hits.length, 20);
    assert.ok(read.scanned + read.candidates <= 250, "a full page reads no more than it needs");
  });
}
