import assert from "node:assert/strict";
import { test } from "node:test";
import { absolutePath } from "../../../src/surfaces/acp/translate/locations.ts";

test("the path of a file that an agent names, in any spelling", () => {
  const rows: [path: string, absolute: string | undefined][] = [
    ["a.txt", "/work/a.txt"],
    ["/etc/a.txt", "/etc/a.txt"],
    ["file:///work/a%20b.txt", "/work/a b.txt"],
    ["file:///work/%ff.txt", "/work/%ff.txt"],
    ["", undefined],
    ["a\0b", undefined],
  ];
  for (const [path, absolute] of rows) assert.equal(absolutePath("/work", path), absolute, path);
});
