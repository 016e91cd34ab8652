import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { getHeapSnapshot } from "node:v8";
import { grown, type HeapSnapshot, type Kind, kindsOf } from "../support/heap/kinds.ts";

async function kindsNow(): Promise<Map<string, Kind>> {
  return kindsOf(JSON.parse(await text(getHeapSnapshot())) as HeapSnapshot);
}

class Remembered {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

test("objects that a program goes on keeping are told by their constructor, plain ones by their properties", async () => {
  const before = await kindsNow();
  const kept = Array.from({ length: 300 }, (_, at) => [
    new Remembered(`name ${at}`),
    { firstWord: at, secondWord: `a ${at}`, third: [], fourth: {}, sixth: null },
    () => at,
  ]);
  const more = new Map(grown(before, await kindsNow()).map((one) => [one.kind, one]));
  assert.equal(kept.length, 300);
  assert.equal(more.get("Remembered")?.count, 300);
  assert.ok((more.get("Remembered")?.bytes ?? 0) >= 300 * 16);
  // Small numbers are no properties in a snapshot; V8 keeps one object more for the code that makes these.
  const plain = more.get("{ secondWord, third, fourth, sixth }");
  assert.ok(plain && plain.count >= 300, `got ${[...more.keys()].slice(0, 20).join("; ")}`);
  assert.ok((more.get("(string)")?.count ?? 0) >= 600);
});

test("kinds that did not grow are left out, and the largest growth comes first", () => {
  const before = new Map([
    ["Same", { count: 3, bytes: 30 }],
    ["Less", { count: 3, bytes: 30 }],
    ["Larger", { count: 1, bytes: 10 }],
  ]);
  const after = new Map([
    ["Same", { count: 3, bytes: 30 }],
    ["Less", { count: 2, bytes: 20 }],
    ["Larger", { count: 1, bytes: 11 }],
    ["New", { count: 1, bytes: 100 }],
  ]);
  assert.deepEqual(grown(before, after), [
    { kind: "New", count: 1, bytes: 100 },
    { kind: "Larger", count: 0, bytes: 1 },
  ]);
});
