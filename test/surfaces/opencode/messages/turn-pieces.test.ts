import assert from "node:assert/strict";
import { test } from "node:test";
import { nextChunk } from "../../../../src/surfaces/opencode/messages/turn-pieces.ts";

const CHUNKS: [why: string, limit: number, read: number, share: number, next: number][] = [
  ["nothing was found: a long turn", 256, 256, 0, 512],
  ["nothing was found in the longest chunk", 2_048, 4_000, 0, 2_048],
  ["nearly all was found", 256, 256, 0.9, 64],
  ["two thirds were found", 256, 256, 0.64, 159],
  ["little was found: no more than twice as much", 256, 256, 0.1, 512],
  ["all was found, and one more is looked for", 256, 256, 1, 64],
  ["a page without an end", 256, 256, 10 / Number.POSITIVE_INFINITY, 512],
];
for (const [why, limit, read, share, next] of CHUNKS)
  test(`the next chunk where ${why}`, () => assert.equal(nextChunk(limit, read, share), next));
