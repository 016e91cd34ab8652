import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Check } from "../../src/cli/doctor/check.ts";
import type { AgentInfo } from "../../src/client/index.ts";
import { Home } from "./support.ts";

const CODEX = fileURLToPath(new URL("../fixtures/agents/codex-as-told.mjs", import.meta.url));
const TOO_OLD = /version 0\.30\.0 is too old, Parley needs [\d.]+ or newer: run "parley install codex"/;

const env = { PARLEY_AGENT: "codex", PARLEY_CODEX_BIN: CODEX, FAKE_CODEX: "old" };

test("a program that is too old is named with its version and what to do, by the doctor and in the list of agents", async () => {
  await using home = new Home();
  const doctor = await home.run(["doctor", "--json"], { env });
  const { checks } = JSON.parse(doctor.stdout) as { checks: Check[] };
  const check = checks.find(({ name }) => name === "agent codex");
  assert.match(check?.detail ?? "", TOO_OLD);
  assert.deepEqual([doctor.code, check?.level], [1, "bad"]);
  assert.doesNotMatch(check?.advice ?? "", /log in/);
  const { stdout } = await home.run(["agents", "--json"], { env });
  const codex = (JSON.parse(stdout) as AgentInfo[]).find(({ name }) => name === "codex");
  assert.match(codex?.detail ?? "", TOO_OLD);
  assert.deepEqual([codex?.version, codex?.models], ["0.30.0", []]);
});

test("a prompt to a program that is too old fails, and says the version and what to do", async () => {
  await using home = new Home();
  const { code, stderr } = await home.run(["run", "count 3"], { env });
  assert.notEqual(code, 0);
  assert.match(stderr, TOO_OLD);
});
