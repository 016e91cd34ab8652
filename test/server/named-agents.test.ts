import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { KNOWN } from "../../src/agents/acp/known/known.ts";
import type { Agent } from "../../src/agents/contract.ts";
import { createProcessHost } from "../../src/host/process-host.ts";
import { NamedAgents } from "../../src/server/named-agents.ts";
import { temporary } from "../support/server.ts";

interface Rig {
  agents: NamedAgents;
  closed: string[];
  /** Puts a program into the search path, or takes it out. */
  program(name: string): string;
}

async function rig(t: TestContext, listKnown = true, fixed: readonly string[] = ["house"]): Promise<Rig> {
  const root = await temporary(t);
  mkdirSync(join(root, "bin"));
  const closed: string[] = [];
  const agentOf = (name: string): Agent => ({
    name,
    discover: () => Promise.reject(new Error("nothing is asked")),
    open: () => {
      throw new Error("nothing is opened");
    },
    close: async () => void closed.push(name),
  });
  const host = createProcessHost({ runDirectory: join(root, "run"), instance: "" });
  const env = { PATH: join(root, "bin") };
  const named = new Map(fixed.map((name) => [name, agentOf(name)]));
  return {
    agents: new NamedAgents(named, { host, dataDirectory: root, env, listKnown }),
    closed,
    program(name) {
      const path = join(root, "bin", name);
      writeFileSync(path, "#!/bin/sh\n", { mode: 0o755 });
      return path;
    },
  };
}

test("known agents are listed where they are installed, and all of them can be named", async (t) => {
  const { agents, program } = await rig(t);
  program("qwen");
  program("kiro-cli-chat");
  assert.deepEqual([...agents.keys()], ["house", "kiro", "qwen"]);
  assert.deepEqual(
    [...agents.values()].map(({ name }) => name),
    ["house", "kiro", "qwen"],
  );
  assert.equal(agents.get("gemini")?.name, "gemini");
  assert.equal(agents.get("gemini"), agents.get("gemini-cli"), "one agent for all of its names");
  assert.deepEqual(
    [...agents.keys()],
    ["house", "kiro", "qwen"],
    "one that is not installed is not listed because it was named",
  );
  assert.equal(agents.further().length, KNOWN.length - 2);
  assert.equal(agents.get("nobody"), undefined);
});

test("a program with the name of another one's is used by its name, and never listed by itself", async (t) => {
  const { agents, program } = await rig(t);
  program("fx");
  program("opencode");
  assert.deepEqual([...agents.keys()], ["house"]);
  assert.equal(agents.objection("fx"), undefined);
  agents.get("fx");
  assert.deepEqual([...agents.keys()], ["house", "fx"], "it is listed once it was named");
});

test("without the list of known agents they are there by name", async (t) => {
  const { agents, program } = await rig(t, false);
  program("qwen");
  assert.deepEqual([...agents.keys()], ["house"]);
  assert.equal(agents.objection("qwen-code"), undefined);
  assert.deepEqual([...agents.keys()], ["house", "qwen"]);
});

test("a configured agent stands in place of the known one, for all of its names", async (t) => {
  const { agents, program } = await rig(t, true, ["qwen"]);
  program("qwen");
  assert.deepEqual([...agents.keys()], ["qwen"]);
  assert.equal(agents.get("qwen-code"), agents.get("qwen"));
  assert.equal(agents.objection("qwen-code"), undefined);
});

test("a command line is an agent, by one name however it is quoted, and is listed while its program is there", async (t) => {
  const { agents, program } = await rig(t);
  const path = program("my-agent");
  const agent = agents.get("acp:my-agent   'a b' --c");
  assert.equal(agent?.name, "acp:my-agent 'a b' --c");
  assert.equal(agents.get('acp:my-agent "a b" --c'), agent);
  assert.equal(agents.get(agent.name), agent, "the name alone makes the same one after a restart");
  assert.deepEqual([...agents.keys()], ["house", agent.name]);
  assert.equal(agents.objection(`acp:${path}`), undefined);
  chmodSync(path, 0o644);
  const notExecutable = `my-agent is no program (not executable: chmod +x ${path})`;
  assert.ok(agents.objection(`acp:${path}`)?.endsWith(notExecutable), agents.objection(`acp:${path}`));
  rmSync(path);
  assert.match(
    agents.objection(agent.name) ?? "",
    /agent acp:my-agent .* is not installed: my-agent was not found in the search path/,
  );
  assert.match(agents.objection(`acp:${path}`) ?? "", /my-agent is no program/);
});

test("what cannot be begun with is refused with what is there, what was meant and what to do", async (t) => {
  const { agents } = await rig(t);
  const rows: [name: string, says: RegExp][] = [
    ["gemni", /^no agent gemni; did you mean gemini\? there are: house; \d+ more are known: "parley agents --all"/],
    ["hause", /did you mean house\?/],
    ["", /^expected an agent's name, got ""; there are: house; /],
    ["__proto__", /^no agent __proto__;/],
    ["gemini", /^agent gemini is not installed: gemini was not found: run "parley install gemini"/],
    ["factory-droid", /^agent droid is not installed: .*parley install droid/],
    ["cursor", /^agent cursor is not installed: .*install the Cursor CLI/],
    ["acp:", /^expected "acp:" with a program/],
    ["acp:a 'b", /quote ' is not closed/],
    ["acp:./bin/evil", /another program in each directory/],
    ["acp:X_VAR=1 node a.js", /X_VAR=1 was not found .*: there is no shell, so write "acp:env X_VAR=1 …"/],
    ["acp:evil", /evil was not found in the search path/],
  ];
  for (const [name, says] of rows) assert.match(agents.objection(name) ?? "no objection", says, name);
  for (const name of ["acp:", "acp:a 'b", "acp:./bin/evil", "__proto__", ""])
    assert.equal(agents.get(name), undefined, name);
  assert.equal(agents.objection("house"), undefined);
});

test("a refusal names no command line that was used before", async (t) => {
  const { agents, program } = await rig(t);
  agents.get(`acp:${program("my-agent")} usage`);
  assert.match(agents.objection("my-agent") ?? "", /there are: house; \d+ more/);
  assert.match(agents.objection("nosuch") ?? "", /^no agent nosuch; there are: house; \d+ more/);
});

test("a short name means no other one of the same length that shares half of its letters", async (t) => {
  const { agents } = await rig(t);
  for (const name of ["acp", "gone", "proj"])
    assert.match(agents.objection(name) ?? "", new RegExp(`^no agent ${name}; there are: house;`));
});

test("closing ends what all agents keep, also of those that were made by their names", async (t) => {
  const { agents, closed } = await rig(t);
  agents.get("gemini");
  await agents.close();
  assert.deepEqual(closed, ["house"]);
});
