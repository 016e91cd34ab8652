import assert from "node:assert/strict";
import { test } from "node:test";
import { look, NO_PROGRESS } from "../../../src/surfaces/stream/stall.ts";

type Look = { pending: number; sent: number; underWay: number };

const STORIES: [string, Look[], number][] = [
  [
    "idle",
    [
      { pending: 0, sent: 5, underWay: 0 },
      { pending: 0, sent: 5, underWay: 0 },
      { pending: 0, sent: 5, underWay: 0 },
    ],
    0,
  ],
  [
    "stalled",
    [
      { pending: 9, sent: 5, underWay: 9 },
      { pending: 9, sent: 5, underWay: 9 },
      { pending: 9, sent: 5, underWay: 9 },
    ],
    2,
  ],
  [
    "stalled under new events",
    [
      { pending: 9, sent: 5, underWay: 9 },
      { pending: 19, sent: 5, underWay: 9 },
      { pending: 29, sent: 5, underWay: 9 },
    ],
    2,
  ],
  [
    "slow",
    [
      { pending: 9, sent: 5, underWay: 9 },
      { pending: 8, sent: 6, underWay: 8 },
      { pending: 7, sent: 7, underWay: 7 },
    ],
    0,
  ],
  [
    "slow in one long write",
    [
      { pending: 9, sent: 5, underWay: 9 },
      { pending: 9, sent: 5, underWay: 5 },
      { pending: 9, sent: 5, underWay: 2 },
    ],
    0,
  ],
  [
    "stalled and then not",
    [
      { pending: 9, sent: 5, underWay: 9 },
      { pending: 9, sent: 5, underWay: 9 },
      { pending: 9, sent: 14, underWay: 9 },
    ],
    0,
  ],
];
for (const [name, looks, still] of STORIES) {
  test(`a client that is ${name} has been still for ${still} looks`, () => {
    assert.equal(looks.reduce(look, NO_PROGRESS).still, still);
  });
}
