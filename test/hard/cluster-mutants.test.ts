import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { copyWith } from "../cluster/mutants/copy.ts";
import { mutants } from "../cluster/mutants/mutants.ts";
import { needsPostgres } from "../support/postgres.ts";

describe("a break between nodes is noticed", needsPostgres, () => {
  for (const { what, scenario, rule, edits } of mutants)
    test(what, async () => {
      using copy = copyWith(edits);
      const violations = await scenario(copy.root);
      const rules = [...new Set(violations.map((violation) => violation.rule))];
      assert.ok(rules.includes(rule), `expected a break of ${rule}, noticed ${rules.join(", ") || "nothing"}`);
    });
});
