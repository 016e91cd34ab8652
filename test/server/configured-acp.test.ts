import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createProcessHost } from "../../src/host/process-host.ts";
import { buildAgents } from "../../src/server/agents.ts";
import { temporary } from "../support/server.ts";

test("an entry in place of a known agent has its variables, and its own before them", async (t) => {
  const root = await temporary(t);
  const [program, told] = [join(root, "droid"), join(root, "told")];
  const variables = ["DROID_DISABLE_AUTO_UPDATE", "FACTORY_DROID_AUTO_UPDATE_ENABLED"].map((name) => `$${name}`);
  writeFileSync(program, `#!/bin/sh\necho "${variables.join(" ")}" > '${told}'\n`);
  chmodSync(program, 0o755);
  const host = createProcessHost({ runDirectory: join(root, "run"), instance: "configured-acp" });
  const droid = { acp: [program] as const, env: { FACTORY_DROID_AUTO_UPDATE_ENABLED: "mine" } };
  const agents = buildAgents({ agents: { droid } }, host, root);
  await agents.get("droid")?.discover();
  assert.equal(readFileSync(told, "utf8"), "true mine\n");
  await agents.close();
});
