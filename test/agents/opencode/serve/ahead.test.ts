import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createOpenCodeAgent } from "../../../../src/agents/opencode/agent.ts";
import type { SpawnSpec } from "../../../../src/host/contract.ts";
import { makeHost } from "../../../host/support.ts";

const STAND_IN = fileURLToPath(new URL("../../../fixtures/agents/opencode-serve.mjs", import.meta.url));

test("a server that was started ahead is the one of the next discovery, without anything of the project", async (t) => {
  const { host, directory } = await makeHost(t);
  const program = join(directory, "opencode");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`);
  chmodSync(program, 0o755);
  const specs: SpawnSpec[] = [];
  const counting = {
    spawn(...given: Parameters<typeof host.spawn>) {
      specs.push(given[0]);
      return host.spawn(...given);
    },
  };
  const env = { PARLEY_OPENCODE_BIN: program, HOME: directory };
  const ports = { first: 24_200, last: 24_999 };
  const agent = createOpenCodeAgent({ host: counting, dataDirectory: directory, env, ports });
  t.after(() => agent.close?.());
  const project = { directory: join(directory, "project"), trusted: false };
  let begun = 0;
  await agent.ahead?.(project, () => {
    begun++;
    assert.equal(specs.length, 1);
  });
  assert.equal(begun, 1);
  const [started] = specs;
  assert.equal(started?.directory, directory);
  assert.equal(started?.env?.OPENCODE_DISABLE_PROJECT_CONFIG, "1");
  await agent.discover(project).catch(() => {});
  assert.equal(specs.length, 1);
});
