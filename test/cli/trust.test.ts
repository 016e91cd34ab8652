import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Check } from "../../src/cli/doctor/check.ts";
import { startInTerminal, type Tui } from "../support/opencode/tui.ts";
import { long } from "../support/time.ts";
import { BIN, Home } from "./support.ts";

const CLAUDE_LIKE = fileURLToPath(new URL("../fixtures/agents/claude-like.mjs", import.meta.url));
const ACP = fileURLToPath(new URL("../fixtures/agents/acp-as-told.mjs", import.meta.url));
const CLAUDE = { PARLEY_CLAUDE_BIN: CLAUDE_LIKE, PARLEY_AGENT: "claude" };

/** A home whose `work` brings a hook for Claude Code; the agent there says with which arguments it was started. */
function homeWithHooks(): Home {
  const home = new Home();
  home.write("work/behaviour", "argv");
  home.write("work/.claude/settings.json", '{ "hooks": { "SessionStart": [] }, "apiKeyHelper": "x" }');
  return home;
}

const trusted = (home: Home): string => readFileSync(join(dirname(home.userConfig), "trusted"), "utf8");

test("a directory is trusted, listed and taken back, by its real path", async () => {
  await using home = homeWithHooks();
  const added = await home.run(["trust"]);
  assert.equal(added.code, 0, added.stderr);
  assert.equal(
    added.stdout,
    `${home.work} is trusted, with all that lies below it.\nAgents use of its project:\n` +
      "  .claude/settings.json (hooks.SessionStart, apiKeyHelper)  [claude]\n",
  );
  assert.equal(trusted(home), `${home.work}\n`);
  assert.match((await home.run(["trust", "../work/../work"])).stdout, /is trusted already/);
  const listed = await home.run(["trust", "--list", "--json"]);
  assert.deepEqual(JSON.parse(listed.stdout), [{ directory: home.work, source: "command" }]);
  const removed = await home.run(["trust", "--remove", home.work]);
  assert.deepEqual([removed.code, removed.stdout], [0, `${home.work} is not trusted any more.\n`]);
  assert.equal(trusted(home), "");
  const again = await home.run(["trust", "--remove", home.work]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is not trusted; nothing was changed/);
});

test("trust in a home directory is warned of, and a directory that is not there is refused", long, async () => {
  await using home = new Home();
  assert.match((await home.run(["trust", home.root])).stderr, /warning: it is your home directory/);
  assert.equal((await home.run(["trust", "nowhere"])).code, 2);
});

test("trust says what Parley itself uses of the project, and that a mistake in it will end commands", async () => {
  await using home = homeWithHooks();
  home.write("work/parley.jsonc", '{ "agents": { "own": { "command": ["true"] } }, "port": 7500, "token": "x" }');
  const { stdout } = await home.run(["trust"]);
  assert.match(stdout, /below it\.\nParley uses of its project:\n {2}parley\.jsonc \(port, agents\)\nAgents use of/);
  home.write("work/parley.jsonc", '{ "prot": 1 }');
  const broken = await home.run(["trust"]);
  assert.equal(broken.code, 0);
  assert.match(broken.stderr, /warning: commands in this directory will fail until .*unknown key "prot"/);
});

test("trust that stands in the configuration is taken out there", async () => {
  await using home = new Home();
  home.configure({ trust: ["~/work"] });
  const { code, stderr } = await home.run(["trust", "--remove", home.work]);
  assert.equal(code, 1);
  assert.match(stderr, /is still trusted: take .* out of "trust" in your configuration/);
  assert.match((await home.run(["trust", "--list"])).stdout, /work +configuration/);
});

test("a broken file of a project stops no command, not even trust; once it is trusted it does, but not trust and doctor", async () => {
  await using home = homeWithHooks();
  home.write("work/parley.jsonc", '{ "prot": 1 }');
  for (const args of [["doctor"], ["run", "hello"], ["trust", "--list"]]) {
    const { code, stderr, stdout } = await home.run(args);
    assert.equal(code, 0, `${args}: ${stderr}`);
    if (args[0] !== "trust") assert.match(stdout + stderr, /unknown key "prot"/, args.join());
  }
  await home.run(["trust"]);
  assert.equal((await home.run(["sessions"])).code, 2);
  assert.match((await home.run(["doctor"])).stdout, /bad +config .*unknown key "prot"/);
  assert.equal((await home.run(["trust", "--remove"])).code, 0);
});

test("doctor names what is left out here, and says what to do", async () => {
  await using home = homeWithHooks();
  const look = async (): Promise<Check> => {
    const { stdout } = await home.run(["doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    return checks.find(({ name }) => name === "project") ?? assert.fail("no check of the project");
  };
  const before = await look();
  assert.equal(before.level, "warn");
  assert.match(
    before.detail,
    /not trusted, so agents leave out .claude\/settings.json \(hooks.SessionStart, apiKeyHelper\)/,
  );
  assert.match(before.advice ?? "", new RegExp(`parley trust ${home.work}`));
  await home.run(["trust"]);
  const after = await look();
  assert.deepEqual([after.level, after.facts?.trusted], ["ok", true]);
});

test("in a pipe nobody is asked: the settings are left out and stderr says so; a running server hears of trust at once", async () => {
  await using home = homeWithHooks();
  await home.serve([], { env: CLAUDE });
  const before = await home.run(["run", "hello"], { env: CLAUDE });
  assert.equal(before.code, 0, before.stderr);
  assert.match(before.stdout, /--setting-sources user/);
  assert.match(before.stderr, /not trusted: .claude\/settings.json \(hooks.SessionStart, apiKeyHelper\)/);
  assert.match(before.stderr, new RegExp(`To use them: parley trust ${home.work}`));
  await home.run(["trust"]);
  const after = await home.run(["run", "--continue", "hello"], { env: CLAUDE });
  assert.doesNotMatch(after.stdout, /--setting-sources/);
  assert.match(after.stdout, /--resume 11111111-2222-/);
  assert.doesNotMatch(after.stderr, /not trusted/);
  await home.run(["trust", "--remove"]);
  assert.match((await home.run(["run", "hello"], { env: CLAUDE })).stdout, /--setting-sources user/);
});

function atTerminal(home: Home, args: readonly string[], env: Readonly<Record<string, string>> = CLAUDE): Tui {
  return startInTerminal({
    program: process.execPath,
    args: [BIN, ...args],
    directory: home.work,
    env: home.env(env),
    cols: 200,
  });
}

test("at a terminal a person is asked first: no leaves out, yes is for good, and nobody is asked twice", async () => {
  await using home = homeWithHooks();
  const refused = atTerminal(home, ["run", "hello"]);
  await refused.waitFor("[y/N]");
  assert.match(refused.screen(), /brings settings for claude, which can run programs as you/);
  assert.match(refused.screen(), /settings.json \(hooks.SessionStart, apiKeyHelper\)/);
  refused.press("enter");
  await refused.waitFor("--setting-sources user");
  assert.equal(await refused.exited, 0);
  assert.equal(existsSync(join(dirname(home.userConfig), "trusted")), false);

  const allowed = atTerminal(home, ["run", "hello"]);
  await allowed.waitFor("[y/N]");
  allowed.type("y");
  allowed.press("enter");
  await allowed.waitFor("started with");
  assert.doesNotMatch(allowed.screen(), /--setting-sources/);
  assert.equal(await allowed.exited, 0);
  assert.equal(trusted(home), `${home.work}\n`);

  const known = atTerminal(home, ["run", "hello"]);
  await known.waitFor("started with");
  assert.doesNotMatch(known.screen(), /\[y\/N\]|--setting-sources/);
  assert.equal(await known.exited, 0);
});

test("at a terminal the question says of an ACP agent that it is not started without trust", async () => {
  await using home = new Home();
  home.write("work/opencode.json", "{}");
  const asked = atTerminal(home, ["run", "hello"], { PARLEY_AGENT: `acp:${process.execPath} ${ACP}` });
  await asked.waitFor("[y/N]");
  assert.match(asked.screen(), /Without trust this agent is not started here\./);
  asked.press("enter");
  await asked.waitFor("it would run what a directory that is not trusted names: opencode.json");
  assert.equal(await asked.exited, 1);
});

test(
  "at a terminal --yes asks nothing and trusts nothing, and Ctrl-C at the question begins nothing",
  long,
  async () => {
    await using home = homeWithHooks();
    const quiet = atTerminal(home, ["run", "--yes", "hello"]);
    await quiet.waitFor("--setting-sources user");
    assert.equal(await quiet.exited, 0);
    const stopped = atTerminal(home, ["run", "--title", "stopped", "hello"]);
    await stopped.waitFor("[y/N]");
    stopped.press("ctrl+c");
    assert.equal(await stopped.exited, 130);
    assert.doesNotMatch(stopped.screen(), /started with/);
    const { stdout } = await home.run(["sessions", "--json"]);
    const sessions = JSON.parse(stdout) as { title?: string; turns: number }[];
    assert.deepEqual(
      sessions.filter(({ title }) => title === "stopped").map(({ turns }) => turns),
      [0],
    );
  },
);

test("a project's own agents are used once it is trusted", async () => {
  await using home = new Home();
  mkdirSync(join(home.work, "sub"));
  home.write("work/parley.jsonc", '{ "agents": { "mine": { "command": ["./agent.sh"] } } }');
  const agents = async (): Promise<string> => (await home.run(["agents"], { cwd: join(home.work, "sub") })).stdout;
  mkdirSync(join(home.work, ".git"));
  assert.doesNotMatch(await agents(), /mine/);
  await home.run(["trust"]);
  assert.match(await agents(), /mine/);
});
