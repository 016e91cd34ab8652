import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Check } from "../../src/cli/doctor/check.ts";
import { withNumber } from "../../src/host/marks/launcher.ts";
import { numberOf } from "../../src/host/marks/limit-mark.ts";
import { testedVersions } from "../../src/install/catalog.ts";
import { instanceOf } from "../../src/server/instance.ts";
import { firstOf } from "../support/time.ts";
import { Home } from "./support.ts";

async function examined(home: Home): Promise<{ code: number | null; verdict: string; of(name: string): Check }> {
  const { code, stdout } = await home.run(["doctor", "--json"]);
  const { verdict, checks } = JSON.parse(stdout) as { verdict: string; checks: Check[] };
  const of = (name: string): Check => checks.find((check) => check.name === name) ?? assert.fail(`no check of ${name}`);
  return { code, verdict, of };
}

test("a fresh machine is well", async () => {
  await using home = new Home();
  const { code, of } = await examined(home);
  assert.equal(code, 0);
  assert.equal(of("server").detail, "not running");
  assert.match(of("node").detail, /^v\d+/);
  assert.equal(of("agent scripted").level, "ok");
  const { stdout } = await home.run(["doctor"]);
  assert.match(stdout, /^ok {4}data dir +.*made at the first start/m);
});

test("a running server is found, and its log is sound", async () => {
  await using home = new Home();
  const { child, line } = await home.serve();
  const { code, of } = await examined(home);
  assert.equal(code, 0);
  assert.deepEqual(of("server").facts, { running: true, pid: child.pid, url: line });
  assert.match(of("log").detail, /is sound/);
  assert.equal(of("processes").level, "ok");
});

test("a server that is not ready says why", async () => {
  await using home = new Home();
  await home.serve();
  const file = join(home.dataDir, "parley.db");
  renameSync(file, `${file}.moved`);
  const { code, of } = await examined(home);
  assert.deepEqual([code, of("server").level, of("log").level], [1, "bad", "bad"]);
  assert.match(of("server").detail, /is not ready: 503, .*parley\.db/);
  renameSync(`${file}.moved`, file);
});

/** A program that answers as Claude Code does to a look at it. */
const CLAUDE = `#!${process.execPath}
if (process.argv.includes("auth")) console.log(JSON.stringify({ loggedIn: true, authMethod: "api_key" }));
else
  require("node:readline").createInterface({ input: process.stdin }).on("line", (text) => {
    const { request_id, request } = JSON.parse(text);
    const response = request.subtype === "get_binary_version" ? { version: process.env.CLAUDE_VERSION } : { models: [] };
    console.log(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } }));
  });
`;

test("a version of an agent that was never tested is told, with those that were", async () => {
  await using home = new Home();
  home.write("claude.cjs", CLAUDE);
  const program = join(home.root, "claude.cjs");
  chmodSync(program, 0o755);
  const look = async (version: string): Promise<Check> => {
    const env = { PARLEY_CLAUDE_BIN: program, CLAUDE_VERSION: version };
    const { stdout } = await home.run(["doctor", "--json"], { env });
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    return checks.find(({ name }) => name === "agent claude") ?? assert.fail("no check of claude");
  };
  const tested = testedVersions("claude");
  for (const version of tested) assert.equal((await look(version)).level, "ok", version);
  const { level, detail, advice, facts } = await look("2.0.1");
  assert.equal(level, "warn");
  assert.match(detail, /2\.0\.1/);
  for (const version of tested) assert.ok(advice?.includes(version), advice);
  assert.match(advice ?? "", /never tested .* "parley install claude"/);
  assert.equal(facts?.untested, true);
});

test("a broken configuration, a broken log and a missing default agent are each wrong", async () => {
  await using home = new Home();
  home.configure({ defaultAgent: "gone", agents: { gone: { command: ["no-such-program-anywhere"] } } });
  assert.equal((await examined(home)).of("agent gone").level, "bad");
  home.configure({ prot: 1 });
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.dataDir, "parley.db"), "this is no database, and never was one".repeat(100));
  const { code, verdict, of } = await examined(home);
  assert.deepEqual({ code, verdict }, { code: 1, verdict: "bad" });
  assert.match(of("config").detail, /unknown key "prot"/);
  assert.equal(of("log").level, "bad");
});

test("an open data directory is a warning", async () => {
  await using home = new Home();
  mkdirSync(home.dataDir, { recursive: true });
  chmodSync(home.dataDir, 0o755);
  const { code, of } = await examined(home);
  assert.equal(code, 0);
  assert.equal(of("data dir").level, "warn");
  assert.match(of("data dir").advice ?? "", /chmod 700/);
});

test("a process that an earlier run left is listed", { skip: process.platform !== "linux" }, async () => {
  await using home = new Home();
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  const mark = `${instanceOf(home.dataDir)}:ses_x:12345678`;
  const stray = spawn(process.execPath, ["-e", 'console.log("up"); setInterval(() => {}, 1000)'], {
    env: { ...process.env, PARLEY_MARK: mark },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    await once(stray.stdout, "data");
    const { code, of } = await examined(home);
    assert.equal(code, 1);
    assert.match(of("processes").detail, new RegExp(`of an earlier run still live: ${stray.pid}$`));
  } finally {
    stray.kill("SIGKILL");
  }
});

test("a process without environment is known by its number, and told apart from an earlier run's", {
  skip: process.platform !== "linux",
}, async () => {
  await using home = new Home();
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  const argv = ["/bin/sh", "-c", "echo up; exec sleep 60"] as const;
  const start = { argv, directory: home.work, searchPath: undefined };
  const [program, ...args] = withNumber(numberOf(instanceOf(home.dataDir), 1), start);
  await home.serve();
  const stray = spawn(program, args, { env: {}, detached: true, stdio: ["ignore", "pipe", "ignore"] });
  try {
    await once(stray.stdout, "data");
    const { of } = await examined(home);
    assert.equal(of("processes").level, "warn");
    assert.match(of("processes").detail, new RegExp(`have left their agent: ${stray.pid}$`));
  } finally {
    stray.kill("SIGKILL");
  }
});

test("--repair saves a damaged log, keeps the damaged files and says what was lost", async () => {
  await using home = new Home();
  const ran = await home.run(["run", "say hello"]);
  assert.equal(ran.code, 0, ran.stderr);
  const file = join(home.dataDir, "parley.db");
  const bytes = readFileSync(file);
  bytes.fill(0xff, 0, 64);
  const words = '"type":"turn.started"';
  for (let at = bytes.indexOf(words); at >= 0; at = bytes.indexOf(words)) bytes.write("!", at);
  writeFileSync(file, bytes);
  const refused = await home.run(["serve", "--port", "0"]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^parley: the log is damaged .*parley doctor --repair/);
  assert.equal(refused.stderr.trim().split("\n").length, 1);
  assert.equal((await examined(home)).of("log").level, "bad");

  const { code, stdout, stderr } = await home.run(["doctor", "--repair"]);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    /^saved \d+ events of 1 sessions; lost 1\n {2}ses_\w+ {2}lost \d+\nthe files as they were are in /,
  );
  const [, backup = ""] = /were are in (.*): remove/.exec(stdout) ?? [];
  assert.ok(readFileSync(join(backup, "parley.db")).equals(bytes));
  assert.equal((await examined(home)).of("log").level, "ok");
  const again = await home.run(["run", "--continue", "and again"]);
  assert.equal(again.code, 0, again.stderr);
});

test("an event that is not as it was written is found, though the database is sound", async () => {
  await using home = new Home();
  await home.run(["run", "say hello"]);
  const file = join(home.dataDir, "parley.db");
  const bytes = readFileSync(file);
  const words = "say hello";
  for (let at = bytes.indexOf(words); at >= 0; at = bytes.indexOf(words)) bytes.write("say howdy", at);
  writeFileSync(file, bytes);
  const { code, of } = await examined(home);
  assert.equal(code, 1);
  assert.match(of("log").detail, /not as written: [1-9]\d* events?, and the state of \d+ sessions?/);
  assert.match(of("log").advice ?? "", /parley doctor --repair/);
});

for (const [what, spoil] of firstOf(
  [
    ["gone", (file: string) => rmSync(file)],
    ["empty", (file: string) => writeFileSync(file, "")],
  ] as const,
  1,
)) {
  test(`a log that is ${what} is wrong for the doctor, for every start and for lists, and is not repaired into an empty one`, async () => {
    await using home = new Home();
    await home.run(["run", "say hello"]);
    const file = join(home.dataDir, "parley.db");
    spoil(file);
    const words = new RegExp(`parley.db is ${what}, though this directory had a log`);
    const { code, of } = await examined(home);
    assert.deepEqual([code, of("log").level], [1, "bad"]);
    assert.match(of("log").detail, words);
    assert.match(of("log").advice ?? "", /from a backup, or remove .*log\.made to begin/);
    for (const args of [["doctor", "--repair"], ["serve", "--port", "0"], ["sessions"]]) {
      const { code: failed, stderr } = await home.run(args);
      assert.equal(failed, 1, args.join(" "));
      assert.match(stderr, words, args.join(" "));
    }
  });
}

test("--repair leaves a log alone that a server has", async () => {
  await using home = new Home();
  const { child } = await home.serve();
  const { code, stderr } = await home.run(["doctor", "--repair"]);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^parley: a Parley \\(pid ${child.pid}\\) runs on .*: stop it first`));
});
