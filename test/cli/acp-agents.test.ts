import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { KNOWN } from "../../src/agents/acp/known/known.ts";
import { FakeNpm } from "../install/fake-npm.ts";
import { Home } from "./support.ts";

const PROGRAM = fileURLToPath(new URL("../fixtures/agents/acp-as-told.mjs", import.meta.url));
const NAME = `acp:${process.execPath} ${PROGRAM}`;

test("parley run --agent takes a command line, also as the variable and the user's default", async () => {
  await using home = new Home();
  const env = { PARLEY_AGENT: "" };
  const flag = await home.run(["run", "--agent", NAME, "say hello"]);
  assert.equal(flag.code, 0, flag.stderr);
  const variable = await home.run(["run", "say hello"], { env: { PARLEY_AGENT: NAME } });
  assert.equal(variable.code, 0, variable.stderr);
  home.configure({ defaultAgent: NAME });
  const configured = await home.run(["run", "say hello"], { env });
  assert.equal(configured.code, 0, configured.stderr);
  const listed = JSON.parse((await home.run(["sessions", "--json"])).stdout) as { agent: string }[];
  assert.deepEqual(
    listed.map(({ agent }) => agent),
    [NAME, NAME, NAME],
  );
});

test("a project's file names no command line, trusted or not", async () => {
  await using home = new Home();
  const spoor = join(home.root, "ran");
  home.write("work/parley.jsonc", JSON.stringify({ defaultAgent: `acp:touch ${spoor}` }));
  for (const trusted of [false, true]) {
    if (trusted) await home.run(["trust", home.work]);
    const { code, stderr } = await home.run(["run", "hello"], { env: { PARLEY_AGENT: "" } });
    assert.match(stderr, /"defaultAgent" was ignored: no project names a command line/);
    assert.equal(code, 0, stderr);
    assert.ok(!existsSync(spoor));
  }
});

test("parley run says what is wrong with an agent's name", async () => {
  await using home = new Home();
  const rows: [agent: string, says: RegExp][] = [
    ["acp:", /got no program/],
    ["acp:'x", /quote ' is not closed/],
    ["acp:./evil", /another program in each directory/],
    ["gemni", /did you mean gemini\?/],
    ["", /expected an agent's name, got ""; there are: claude,/],
    ["stakpak", /stakpak is not installed: .*install Stakpak/],
  ];
  for (const [agent, says] of rows) {
    const { code, stderr } = await home.run(["run", "--agent", agent, "hello"]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  }
});

test("parley agents lists what is installed, and --all what could be", async () => {
  await using home = new Home();
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "qwen"), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}'\n`);
  chmodSync(join(bin, "qwen"), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin`, PARLEY_KNOWN_AGENTS: "true" };
  const { stdout, stderr } = await home.run(["agents"], { env });
  assert.match(stdout, /^qwen .*qwen$/m);
  assert.match(
    stderr,
    new RegExp(`^parley: ${KNOWN.length - 1} more ACP agents are known .*"parley agents --all"`, "m"),
  );
  const all = await home.run(["agents", "--all"], { env });
  assert.match(all.stdout, /^qwen +Qwen Code +yes +\S*\/qwen --acp$/m);
  assert.match(all.stdout, /^cursor +Cursor +no +install the Cursor CLI/m);
  const told = JSON.parse((await home.run(["agents", "--all", "--json"], { env })).stdout) as { name: string }[];
  assert.deepEqual(
    told.map(({ name }) => name),
    KNOWN.map(({ name }) => name),
  );
  const doctor = await home.run(["doctor"], { env });
  assert.match(doctor.stdout, /^ok {4}agents .* more ACP agents are known .*parley agents --all/m);
  assert.match(doctor.stdout, /^\w+ +agent qwen /m);
});

test("parley doctor warns of an agent that does not answer", async () => {
  await using home = new Home();
  const bin = join(home.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "qwen"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  const env = { PATH: `${bin}:/usr/bin:/bin`, PARLEY_KNOWN_AGENTS: "true" };
  const { stdout } = await home.run(["doctor"], { env });
  assert.match(stdout, /^warn +agent qwen .*it does not answer.*\n +-> run \S*qwen by itself/m);
});

test("parley install installs a known agent's package, which is then found and listed", async () => {
  await using home = new Home();
  using npm = new FakeNpm({ puts: { facts: { bin: { qwen: "cli-entry.js" } }, files: { "cli-entry.js": "" } } });
  const env = { PATH: npm.env.PATH ?? "" };
  const { code, stdout, stderr } = await home.run(["install", "qwen-code"], { env });
  assert.equal(code, 0, stderr);
  const program = join(home.dataDir, "agents/qwen/0.24.4/node_modules/@qwen-code/qwen-code/cli-entry.js");
  assert.equal(stdout, `${program}\n`);
  assert.match(stderr, /installing @qwen-code\/qwen-code@0\.24\.4 .*\n[\s\S]*to log in: run qwen/);
  const listed = await home.run(["install"], { env });
  assert.match(listed.stdout, /^qwen +0\.24\.4 +0\.24\.4 +\S*cli-entry\.js \(installed by Parley\)$/m);
  assert.doesNotMatch(listed.stdout, /^gemini/m);
  assert.match(listed.stderr, /\d+ more ACP agents can be installed: "parley install --all"/);
  const all = await home.run(["install", "--all"], { env });
  assert.match(all.stdout, /^gemini +0\.61\.0 +- +gemini was not found/m);
});

test("parley install says how an agent is got that is no package, and what was probably meant", async () => {
  await using home = new Home();
  const rows: [name: string, says: RegExp][] = [
    ["cursor", /cursor is no package that Parley can install: install the Cursor CLI/],
    ["gemni", /no agent gemni can be installed \(did you mean gemini\?\)/],
    ["acp:x", /no agent acp:x can be installed/],
    ["house", /house is built in: there is nothing to install/],
    ["scripted", /scripted is built in: there is nothing to install/],
  ];
  for (const [name, says] of rows) {
    const { code, stderr } = await home.run(["install", name]);
    assert.equal(code, 2);
    assert.match(stderr, says);
  }
});
