import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { restore } from "../../src/core/ledger/restore.ts";
import type { newLedger } from "../../src/core/ledger/state.ts";
import type { step } from "../../src/core/ledger/step.ts";
import { type Mutant, mutants } from "../core/ledger/mutants.ts";
import { examine } from "../core/ledger/suite.ts";
import type { LedgerModule } from "../core/ledger/world.ts";

const CORE = fileURLToPath(new URL("../../src/core", import.meta.url));

/** A copy of the core with one line changed, loaded beside the real one. */
async function loadMutant(directory: string, mutant: Mutant): Promise<LedgerModule> {
  cpSync(CORE, join(directory, "core"), { recursive: true });
  const file = join(directory, "core", "ledger", mutant.file);
  const source = readFileSync(file, "utf8");
  assert.equal(source.split(mutant.find).length, 2, `${mutant.file} must hold exactly once: ${mutant.find}`);
  writeFileSync(
    file,
    source.replace(mutant.find, () => mutant.replace),
  );
  const load = (name: string): Promise<unknown> => import(pathToFileURL(join(directory, "core", "ledger", name)).href);
  const [stepped, state, restored] = await Promise.all([load("step.ts"), load("state.ts"), load("restore.ts")]);
  return {
    step: (stepped as { step: typeof step }).step,
    newLedger: (state as { newLedger: typeof newLedger }).newLedger,
    restore: (restored as { restore: typeof restore }).restore,
  };
}

for (const mutant of mutants) {
  test(`law ${mutant.law} is noticed when broken: ${mutant.what}`, async () => {
    const directory = mkdtempSync(join(tmpdir(), "parley-mutant-"));
    try {
      const { violations } = examine(await loadMutant(directory, mutant), 300, 20_261_115);
      const laws = [...new Set(violations.map((violation) => violation.law))];
      assert.ok(
        laws.includes(mutant.law),
        `expected a break of law ${mutant.law}, noticed ${laws.join(", ") || "nothing"}`,
      );
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

test("every law has a mutant", () => {
  const missing = Array.from({ length: 12 }, (_, index) => index + 1).filter(
    (law) => !mutants.some((mutant) => mutant.law === law),
  );
  assert.deepEqual(missing, []);
});
