import assert from "node:assert/strict";
import { test } from "node:test";
import { readPage, withTable } from "../../../scripts/opencode-table.ts";

test("docs/opencode.md lists the operations as they are; `node scripts/opencode-table.ts` writes them", () => {
  assert.equal(readPage(), withTable(readPage()));
});

test("the table would notice an operation that is gone", () => {
  const page = readPage().replace(/^\| `GET \/path`.*\n/m, "");
  assert.notEqual(page, readPage());
  assert.equal(withTable(page), readPage());
});
