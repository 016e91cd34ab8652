import assert from "node:assert/strict";
import { test } from "node:test";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { examine } from "./suite.ts";

test("10,000 turns of every kind of trouble break no law", () => {
  const findings = examine({ step, newLedger, restore }, 5_000, 20_261_115);
  assert.deepEqual(findings.violations.slice(0, 5), []);
  assert.ok(findings.turns >= 10_000, `only ${findings.turns} turns were generated`);
});
