import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { followsOn, formatCursor, resolveCursor } from "../../src/log/cursor.ts";

describe("followsOn", () => {
  const rows: [cursor: number, seq: number, folded: number, expected: boolean][] = [
    [0, 1, 0, true],
    [4, 5, 0, true],
    [4, 6, 0, false],
    [4, 6, 1, true],
    [4, 20, 15, true],
    [4, 20, 14, false],
    [10, 20, 15, true],
    [5, 5, 0, false],
    [6, 5, 3, false],
  ];
  for (const [cursor, seq, folded, expected] of rows) {
    test(`${seq} with ${folded} folded ${expected ? "follows on" : "does not follow on"} ${cursor}`, () => {
      assert.equal(followsOn(cursor, { seq, folded }), expected);
    });
  }
});

describe("resolveCursor", () => {
  const one = { session: "ses_a", first: 5, last: 9 };
  const all = { session: null, first: 1, last: 9 };
  const rows: [text: string, bounds: typeof one | typeof all, expected: number | string][] = [
    ["ses_a:7", one, 7],
    ["7", one, 7],
    ["ses_a:9", one, 9],
    ["ses_a:4", one, 4],
    ["ses_a:3", one, "gap"],
    ["0", one, "gap"],
    ["ses_a:10", one, "future"],
    ["ses_b:7", one, "other_stream"],
    ["all:7", one, "other_stream"],
    ["ses_a:7", all, "other_stream"],
    ["all:7", all, 7],
    ["all:0", all, 0],
    ["all:10", all, "future"],
    ["", one, "malformed"],
    ["ses_a:", one, "malformed"],
    ["ses_a:-1", one, "malformed"],
    ["ses_a:7 ", one, "malformed"],
    ["ses_a:7x", one, "malformed"],
    ["ses_a:1e1", one, "malformed"],
    ["ses_a:7:7", one, "malformed"],
    ["ses_a:9999999999999999", one, "malformed"],
    ["７", one, "malformed"],
    ["ses a:7", one, "malformed"],
  ];
  for (const [text, bounds, expected] of rows) {
    test(`"${text}" for ${bounds.session ?? "all"} is ${expected}`, () => {
      const result = resolveCursor(text, bounds);
      assert.equal(result.ok ? result.after : result.reason, expected);
    });
  }

  test("a gap says where to go on", () => {
    const result = resolveCursor("ses_a:1", one);
    assert.deepEqual(result.ok || { ...result, message: "" }, {
      ok: false,
      reason: "gap",
      message: "",
      after: 1,
      first: 5,
    });
  });

  test("what is formatted can be read", () => {
    assert.deepEqual(resolveCursor(formatCursor("ses_a", 6), one), { ok: true, after: 6 });
    assert.deepEqual(resolveCursor(formatCursor(null, 6), all), { ok: true, after: 6 });
  });
});
