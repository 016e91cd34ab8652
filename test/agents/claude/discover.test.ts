import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Discoverer } from "../../../src/agents/claude/discover.ts";
import { makeHost } from "../../host/support.ts";

test("a program that does not tell its models in time is there, says so, and has those that a session tells", async (t) => {
  const { host, directory } = await makeHost(t);
  const program = join(directory, "claude");
  await writeFile(program, "#!/bin/sh\nexec cat > /dev/null\n");
  await chmod(program, 0o755);
  const env = { PARLEY_CLAUDE_BIN: program, HOME: directory, ANTHROPIC_API_KEY: "not-a-real-key" };
  const discoverer = new Discoverer({ host, dataDirectory: directory, env, extra: {}, limitMs: 100 });
  const silent = await discoverer.discover();
  assert.deepEqual([silent.installed, silent.credentials, silent.models], [true, "found", []]);
  assert.match(silent.detail ?? "", /; it did not tell its models within 0\.1 s/);
  discoverer.learned({ path: program, initialized: { models: [{ value: "haiku" }] } });
  const told = await discoverer.discover();
  assert.deepEqual(
    told.models.map(({ id }) => id),
    ["haiku"],
  );
  assert.doesNotMatch(told.detail ?? "", /did not tell/);
});
