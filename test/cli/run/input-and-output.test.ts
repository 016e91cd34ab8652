import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { endLine } from "../../../src/cli/output/end-line.ts";
import { eventually } from "../../support/eventually.ts";
import { BIN, finished, Home } from "../support.ts";

test("the prompt comes from a pipe, with a dash or without", async () => {
  await using home = new Home();
  await home.serve();
  const results = await Promise.all([
    home.run(["run"], { input: "piped words" }),
    home.run(["run", "-"], { input: "piped words" }),
    home.run(["run", "given", "words"], { input: "and these" }),
    home.run(["run", "given", "words", "-"], { input: "and these" }),
    home.run(["run", "given", "words"], { input: "" }),
  ]);
  assert.deepEqual(
    results.map(({ stdout }) => stdout.split("You said: ")[1]),
    ["piped words\n", "piped words\n", "given words\nand these\n", "given words\nand these\n", "given words\n"],
  );
});

/** Runs a line of shell, in which `parley` is the command, with a stdin that stays open and says nothing. */
function inShell(home: Home, line: string): ReturnType<typeof finished> {
  const command = `parley() { '${process.execPath}' '${BIN}' "$@"; }; ${line}`;
  const child = spawn("bash", ["-c", command], { cwd: home.work, env: home.env(), stdio: ["pipe", "pipe", "pipe"] });
  const result = finished(child);
  return result.finally(() => child.stdin.destroy());
}

test("a stdin that stays open and says nothing is not waited for, and a line says so", async () => {
  await using home = new Home();
  const { code, stdout, stderr } = await inShell(home, "parley run given words");
  assert.deepEqual([code, stdout.split("You said: ")[1]], [0, "given words\n"]);
  assert.match(stderr, /nothing came on stdin, which is still open: going on without it/);
});

test("a slow program before the pipe is waited for", { skip: process.platform !== "linux" }, async () => {
  await using home = new Home();
  const slow = `{ while ! [ -e '${home.root}/go' ]; do sleep 0.1; done; echo late; }`;
  const running = inShell(home, `${slow} | parley run given words 2> >(tee '${home.root}/err' >&2)`);
  const told = (): boolean =>
    existsSync(join(home.root, "err")) && readFileSync(join(home.root, "err"), "utf8").includes("waiting for stdin");
  await eventually("the command says that it waits", told);
  home.write("go", "");
  const { code, stdout } = await running;
  assert.deepEqual([code, stdout.split("You said: ")[1]], [0, "given words\nlate\n"]);
});

test("--format json is one object at the end", async () => {
  await using home = new Home();
  const { stdout } = await home.run(["run", "--format", "json", "hi"]);
  const { session, turn, reason, text, usage } = JSON.parse(stdout);
  assert.match(session, /^ses_/);
  assert.match(turn, /^trn_/);
  assert.equal(reason, "end_turn");
  assert.match(text, /You said: hi$/);
  assert.equal(usage.tokens.input, 1);
});

test("--format json tells an error too", async () => {
  await using home = new Home();
  const { stdout, code } = await home.run(["run", "--format", "json", "[[error]]"]);
  const { reason, error } = JSON.parse(stdout);
  assert.deepEqual({ code, reason, error: error.code }, { code: 1, reason: "error", error: "scripted" });
});

test("--format events is every event, numbered without a gap, up to the turn's end", async () => {
  await using home = new Home();
  const { stdout } = await home.run(["run", "--format", "events", "[[tools]]"]);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(events[0].type, "session.started");
  assert.equal(events.at(-1).type, "turn.ended");
  let before = 0;
  for (const { seq, folded = 0 } of events) {
    assert.equal(seq, before + folded + 1);
    before = seq;
  }
});

test("--json is every event, and an error line when the turn could not begin", async () => {
  await using home = new Home();
  const done = await home.run(["run", "--json", "[[error]]"]);
  const events = done.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([done.code, events[0].type, events.at(-1).type], [1, "session.started", "turn.ended"]);
  for (const [args, code, message] of [
    [["--agent", "nobody", "x"], "agent_not_found", /no agent nobody/],
    [["--session", "nope", "x"], "usage", /no session nope/],
    [[], "usage", /expected a prompt/],
  ] as const) {
    const failed = await home.run(["run", "--json", ...args]);
    const { type, data } = JSON.parse(failed.stdout);
    assert.deepEqual([failed.code, type, data.code], [2, "error", code]);
    assert.match(data.message, message);
  }
  const both = await home.run(["run", "--json", "--format", "text", "x"]);
  assert.match(both.stderr, /cannot be used with/);
});

test("the end of a run names agent, model, session, tokens and cost", () => {
  const usage = { tokens: { input: 1_000, output: 56, cacheRead: 200, cacheWrite: 34 }, cost: 0.01234 };
  assert.equal(
    endLine({ agent: "claude", model: "opus", session: "ses_1", usage }),
    "claude · opus · ses_1 · 1,234 tokens in (234 cached), 56 out · $0.0123",
  );
  assert.equal(endLine({ agent: "mine", session: "ses_1" }), "mine · ses_1");
  assert.equal(endLine({ agent: "mine", session: "ses_1", usage: { cost: 12.5 } }), "mine · ses_1 · $12.50");
});
