import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Agent, Project } from "../../src/agents/contract.ts";
import { silentLogger as silent } from "../../src/core/logger.ts";
import { Roots } from "../../src/host/files/roots.ts";
import { type AgentParts, agentParts, startAhead } from "../../src/server/agent-parts.ts";
import { startServer } from "../../src/server/parley.ts";
import { tempDirectory } from "../host/support.ts";
import { eventually } from "../support/eventually.ts";
import { strays } from "../support/process.ts";

const STAND_IN = fileURLToPath(new URL("../fixtures/agents/opencode-serve.mjs", import.meta.url));

type StartAhead = NonNullable<Agent["ahead"]>;

/** The parts of an engine whose OpenCode starts ahead in this way, and a directory. */
async function partsWith(t: TestContext, ahead: StartAhead): Promise<{ parts: AgentParts; directory: string }> {
  const directory = await tempDirectory(t);
  const options = { agents: {}, dataDirectory: directory, defaultAgent: "opencode", logger: silent };
  const parts = agentParts(options, { runDirectory: join(directory, "run"), instance: "test" });
  const agent = parts.agents.get("opencode");
  assert.ok(agent);
  Object.assign(agent, { ahead });
  t.after(() => parts.agents.close());
  return { parts, directory };
}

test("an agent starts what its sessions share ahead of them, with the trust of the directory, and may fail", async (t) => {
  const asked: Project[] = [];
  const { parts, directory } = await partsWith(t, async (project) => {
    asked.push(project);
    throw new Error("not today");
  });
  const begun: (string | undefined)[] = [];
  const start = (agent: string | undefined, roots: Roots): Promise<void> =>
    startAhead(parts, { agent, begun: async () => void begun.push(agent) }, { directory, roots, logger: silent });
  const everywhere = new Roots(undefined, join(directory, "worktrees"));
  await start("opencode", everywhere);
  await start(undefined, everywhere);
  await start("nobody", everywhere);
  const other = join(directory, "other");
  mkdirSync(other);
  await start("opencode", new Roots([other], join(directory, "worktrees")));
  const project = { directory, trusted: false };
  assert.deepEqual(asked, [project, project]);
  assert.deepEqual(begun, ["opencode", undefined, "nobody", "opencode"]);
});

test("a start ahead is waited for until the program starts, not until it is ready", async (t) => {
  const called: string[] = [];
  const { parts, directory } = await partsWith(t, (_project, begun) => {
    called.push("started");
    begun?.();
    return Promise.withResolvers<void>().promise;
  });
  const roots = new Roots(undefined, join(directory, "worktrees"));
  await startAhead(
    parts,
    { agent: "opencode", begun: async () => void called.push("begun") },
    { directory, roots, logger: silent },
  );
  assert.deepEqual(called, ["started", "begun"]);
});

test("a program that is needed at once runs before the log is opened, and ends where the server cannot start", async (t) => {
  const directory = await tempDirectory(t);
  const program = join(directory, "opencode");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`);
  chmodSync(program, 0o755);
  const dataDirectory = join(directory, "data");
  mkdirSync(dataDirectory);
  process.env.PARLEY_OPENCODE_BIN = program;
  t.after(() => {
    delete process.env.PARLEY_OPENCODE_BIN;
  });
  const order: string[] = [];
  let running = 0;
  const starting = startServer({
    agents: {},
    dataDirectory,
    directory,
    host: "127.0.0.1",
    port: 0,
    token: null,
    allowHosts: [],
    cors: [],
    sync: "process",
    keepNative: false,
    unattended: "deny",
    askDeadlineMs: 0,
    idleCloseMs: 0,
    idleAgents: 1,
    retainEvents: 0,
    opencodePorts: { first: 24_200, last: 24_999 },
    ahead: { agent: "opencode", begun: async () => void order.push("begun") },
    openLog: async () => {
      order.push("log");
      running = strays(dataDirectory).length;
      throw new Error("the disk is full");
    },
    logger: silent,
    version: "0",
  });
  await assert.rejects(starting, /the disk is full/);
  assert.deepEqual(order, ["begun", "log"]);
  assert.notEqual(running, 0, "the program ran when the log was opened");
  await eventually("the program has ended", () => strays(dataDirectory).length === 0);
});
