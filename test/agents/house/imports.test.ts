import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const AGENTS = new URL("../../../src/server/agents.ts", import.meta.url).href;

/** Builds and asks every agent in a process of its own, and prints the packages that were loaded. */
const PROGRAM = `
  import { registerHooks } from "node:module";
  const packages = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      if (/^[@a-z]/.test(specifier) && !specifier.includes(":")) packages.add(specifier);
      return next(specifier, context);
    },
  });
  const { buildAgents } = await import(${JSON.stringify(AGENTS)});
  const agents = buildAgents({ agents: {} }, {}, "/nowhere");
  for (const agent of agents.values()) await agent.discover();
  if (process.argv[1] === "open") await agents.get("house").open({ session: "s", directory: "/", emit() {} }).ready();
  console.log(JSON.stringify([...packages]));
`;

async function loaded(...args: string[]): Promise<string[]> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", PROGRAM, ...args]);
  return JSON.parse(stdout);
}

test("no package is loaded to build the agents and to look at them", async () => {
  assert.deepEqual(await loaded(), []);
});

test("the model library is loaded when a session opens", async () => {
  assert.ok((await loaded("open")).includes("ai"));
});
