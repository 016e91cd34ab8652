import assert from "node:assert/strict";
import { test } from "node:test";
import { isOlder } from "../../src/cli/install/is-older.ts";

test("versions are compared by their numbers", () => {
  const older: [string, string][] = [
    ["22.18.0", "24.16.0"],
    ["24.9.0", "24.16.0"],
    ["24.16.0", "24.16.1"],
    ["24", "24.0.1"],
  ];
  for (const [one, other] of older) {
    assert.ok(isOlder(one, other), `${one} ${other}`);
    assert.ok(!isOlder(other, one), `${other} ${one}`);
  }
  assert.ok(!isOlder("24.16.0", "24.16.0"));
});
