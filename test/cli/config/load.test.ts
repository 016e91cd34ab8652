import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type LoadedConfig, loadConfig, type Sources } from "../../../src/cli/config/load.ts";
import { Home } from "../support.ts";

function load(home: Home, more: Partial<Sources> = {}): Promise<LoadedConfig> {
  return loadConfig({ flags: {}, env: home.env(), home: home.root, directory: home.work, ...more });
}

test("without files the defaults are in force", async () => {
  await using home = new Home();
  const { settings, files, warnings, portChosen } = await load(home);
  assert.equal(settings.dataDir, home.dataDir);
  assert.deepEqual({ files, warnings, portChosen }, { files: [], warnings: [], portChosen: false });
});

test("flags beat the environment, that beats the project, that beats the user", async () => {
  await using home = new Home();
  home.configure({ port: 1, logLevel: "debug", idleClose: "1m", askDeadline: "1m", host: "127.0.0.2" });
  home.write("work/parley.jsonc", '{ "port": 2, "logLevel": "warn", "idleClose": "2m" }');
  const env = home.env({ PARLEY_PORT: "3", PARLEY_LOG_LEVEL: "error" });
  const { settings, portChosen } = await load(home, { env, flags: { port: 4 } });
  const { port, logLevel, idleCloseMs, askDeadlineMs, host } = settings;
  assert.deepEqual(
    { port, logLevel, idleCloseMs, askDeadlineMs, host },
    { port: 4, logLevel: "error", idleCloseMs: 120_000, askDeadlineMs: 60_000, host: "127.0.0.2" },
  );
  assert.equal(portChosen, true);
});

test("a cloned project cannot replace the default agent's command", async () => {
  await using home = new Home();
  home.write("work/parley.jsonc", '{ "agents": { "scripted": { "command": ["./evil.sh"] } }, "host": "0.0.0.0" }');
  const { settings, warnings } = await load(home);
  assert.deepEqual(settings.agents, {});
  assert.equal(settings.host, "127.0.0.1");
  assert.equal(warnings.length, 2);
  assert.ok(warnings[0]?.startsWith(join(home.work, "parley.jsonc")), warnings[0]);
  assert.match(warnings.join("\n"), /"host" was ignored[\s\S]*"agents" was ignored/);
});

test("a trusted project can, and its program is found beside its file, through links too", async () => {
  await using home = new Home();
  symlinkSync(home.work, join(home.root, "link"));
  home.configure({ trust: ["~/link"] });
  home.write(
    "work/.parley/config.jsonc",
    '{ "agents": { "mine": { "command": ["./agent.sh", "./x"] }, "b": { "command": ["b"] } } }',
  );
  const { settings, warnings, files } = await load(home, { directory: join(home.root, "link") });
  assert.deepEqual(warnings, []);
  assert.deepEqual(settings.agents.mine?.command, [join(home.work, ".parley", "agent.sh"), "./x"]);
  assert.deepEqual(settings.agents.b?.command, ["b"]);
  assert.deepEqual(
    files.map(({ level, trusted }) => [level, trusted]),
    [
      ["user", undefined],
      ["project", true],
    ],
  );
});

test("a project cannot trust itself", async () => {
  await using home = new Home();
  home.write("work/parley.jsonc", `{ "trust": ["/"], "agents": { "x": { "command": ["x"] } } }`);
  const { settings, warnings } = await load(home);
  assert.deepEqual(settings.agents, {});
  assert.equal(warnings.length, 2);
});

test("the nearest file counts, and the search ends at the repository's root", async () => {
  await using home = new Home();
  const deep = join(home.work, "repo", "a", "b");
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(home.work, "repo", ".git"));
  home.write("work/parley.jsonc", '{ "port": 1 }');
  assert.equal((await load(home, { directory: deep })).portChosen, false);
  home.write("work/repo/parley.jsonc", '{ "port": 2 }');
  assert.equal((await load(home, { directory: deep })).settings.port, 2);
  home.write("work/repo/a/.parley/config.jsonc", '{ "port": 3 }');
  assert.equal((await load(home, { directory: deep })).settings.port, 3);
});

test("a token that others can read is warned of", async () => {
  await using home = new Home();
  home.configure({ token: "0123456789abcdef" });
  chmodSync(home.userConfig, 0o644);
  const { settings, warnings } = await load(home);
  assert.deepEqual(settings.credential, { token: "0123456789abcdef" });
  assert.match(warnings.join(), /chmod 600/);
  chmodSync(home.userConfig, 0o600);
  assert.deepEqual((await load(home)).warnings, []);
});

test("a relative data directory of a file starts at that file", async () => {
  await using home = new Home();
  home.configure({ dataDir: "./here" });
  assert.equal((await load(home)).settings.dataDir, join(dirname(home.userConfig), "here"));
});

test("a mistake in a project's file is a warning where the project is not trusted, and an error where it is", async () => {
  await using home = new Home();
  for (const wrong of ['{ "prot": 1 }', "{ not JSON", '{ "port": "many" }']) {
    home.write("work/parley.jsonc", wrong);
    home.configure({ port: 5 });
    const { settings, warnings } = await load(home);
    assert.equal(settings.port, 5);
    assert.match(warnings.join(), /file was ignored, because it has a mistake.*work\/parley\.jsonc:1:\d+/);
    home.configure({ trust: ["~/work"] });
    await assert.rejects(load(home), /work\/parley\.jsonc:1:\d+/);
  }
});

test("a project's file that is none, or is huge, is not waited for", async () => {
  await using home = new Home();
  execFileSync("mkfifo", [join(home.work, "parley.jsonc")]);
  assert.match((await load(home)).warnings.join(), /ignored.*not a file/);
  rmSync(join(home.work, "parley.jsonc"));
  symlinkSync("/dev/zero", join(home.work, "parley.jsonc"));
  assert.match((await load(home)).warnings.join(), /ignored.*not a file/);
  rmSync(join(home.work, "parley.jsonc"));
  home.write("work/parley.jsonc", `{ "port": 1 }${" ".repeat(2_000_000)}`);
  assert.match((await load(home)).warnings.join(), /ignored.*expected at most/);
});
