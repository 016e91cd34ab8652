import assert from "node:assert/strict";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { firstOf, long } from "../support/time.ts";
import { finished, Home, SAMPLE_AGENT, said } from "./support.ts";

const STUBBORN = fileURLToPath(new URL("../fixtures/agents/ignores-cancel.mjs", import.meta.url));

/** A home whose agent `ends` plays a script: the marker's name is the reason for which the turn ends. */
function homeWithEndings(): Home {
  const home = new Home();
  const ending = (reason: string) => [
    { signal: { type: "text", item: "m", kind: "message", role: "assistant", delta: "So far." } },
    { signal: { type: "turn.finished", reason } },
  ];
  const reasons = { refusal: "refusal", tokens: "max_tokens", turns: "max_turns", interrupted: "interrupted" };
  const script = Object.fromEntries(Object.entries(reasons).map(([marker, reason]) => [marker, ending(reason)]));
  const file = home.write("script.json", JSON.stringify(script));
  home.configure({ agents: { ends: { command: [process.execPath, SAMPLE_AGENT, "--script", file] } } });
  return home;
}

const endings: [marker: string, args: string[], code: number][] = [
  ["hello", [], 0],
  ["[[error]]", [], 1],
  ["[[die 3]]", [], 1],
  ["[[refusal]]", ["--agent", "ends"], 3],
  ["[[tokens]]", ["--agent", "ends"], 4],
  ["[[turns]]", ["--agent", "ends"], 4],
  ["[[interrupted]]", ["--agent", "ends"], 5],
];

test("the exit code tells how the turn ended", async (t) => {
  await using home = homeWithEndings();
  await home.serve();
  for (const [marker, args, code] of firstOf(endings, 4)) {
    await t.test(`${marker} exits with ${code}`, async () => {
      const result = await home.run(["run", ...args, marker]);
      assert.equal(result.code, code, result.stderr);
    });
  }
});

test("the answer is on stdout and nothing else; what was done is on stderr", async () => {
  await using home = new Home();
  const { code, stdout, stderr } = await home.run(["run", "[[tools 2]]"]);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "I ran 2 tools.\n" });
  const lines = stderr.trim().split("\n");
  assert.match(lines.pop() ?? "", /^· scripted · ses_\w+ · [\d,]+ tokens in, [\d,]+ out · \$0\.00$/);
  assert.deepEqual(lines.toSorted(), [
    ...['→ count {"at":0}', '→ count {"at":1}', '✓ count {"at":0}', '✓ count {"at":1}'].toSorted(),
  ]);
  assert.ok(!stderr.includes("\u001b"), "no colours in a pipe");
});

const askRows: [what: string, args: string[], prompt: string, answer: RegExp, note: RegExp, code?: number][] = [
  ["rejects without a terminal", [], "[[ask ls]]", /did not run it/, /\? permission: bash ls: rejected: .*--yes/, 6],
  [
    "rejects a sub-agent's ask without a terminal",
    [],
    "[[subagent ask]]",
    /My helper is done/,
    /bash true: rejected/,
    6,
  ],
  ["allows once with --yes", ["--yes"], "[[ask ls]]", /You allowed it \(once\)/, /allowed once, by --yes/],
  ["rejects with --deny", ["--deny"], "[[ask ls]]", /did not run it/, /rejected: --deny was given/],
  [
    "never answers a question, not even with --yes",
    ["--yes"],
    "[[question]]",
    /You chose: nothing/,
    /--yes answers no questions/,
  ],
  ["rejects a question without a terminal", [], "[[question]]", /You chose: nothing/, /rejected: there is no terminal/],
  ["answers for sub-agents too", ["--yes"], "[[subagent ask]]", /My helper is done/, /allowed once/],
  ["answers for sub-agents of sub-agents", ["--yes"], "[[subagent deep ask]]", /My helper is done/, /allowed once/],
];

test("asks never hang", async (t) => {
  await using home = new Home();
  await home.serve();
  for (const [what, args, prompt, answer, note, exit = 0] of firstOf(askRows, 5)) {
    await t.test(`it ${what}`, async () => {
      const { code, stdout, stderr } = await home.run(["run", ...args, prompt]);
      assert.equal(code, exit);
      assert.match(stdout, answer);
      assert.match(stderr, note);
    });
  }
});

test("--yes lets the agent really edit a file, and --mode plan does not", async () => {
  await using home = new Home();
  const readme = join(home.work, "README.md");
  writeFileSync(readme, "# Title\n");
  const prompt = "Read README.md and add a line at the end";
  await home.run(["run", "--mode", "plan", "--yes", prompt]);
  assert.equal(readFileSync(readme, "utf8"), "# Title\n");
  await home.run(["run", "--yes", prompt]);
  assert.match(readFileSync(readme, "utf8"), /^# Title\n.+\n$/);
});

test("--continue goes on with the newest session of the directory, also without a server in between", async () => {
  await using home = new Home();
  const first = JSON.parse((await home.run(["run", "--format", "json", "--title", "Mine", "one"])).stdout);
  const second = JSON.parse((await home.run(["run", "--format", "json", "--continue", "two"])).stdout);
  assert.equal(second.session, first.session);
  assert.notEqual(second.turn, first.turn);
  const named = JSON.parse(
    (await home.run(["run", "--format", "json", "--session", first.session.slice(-8), "three"])).stdout,
  );
  assert.equal(named.session, first.session);
});

test("--continue without a session, an unknown session and another agent are clear errors", async () => {
  await using home = homeWithEndings();
  const none = await home.run(["run", "--continue", "x"]);
  assert.equal(none.code, 2);
  assert.match(none.stderr, /--continue: there is no session of .*work yet/);
  const unknown = await home.run(["run", "--session", "nope", "x"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /no session nope/);
  await home.run(["run", "x"]);
  const other = await home.run(["run", "--continue", "--agent", "ends", "x"]);
  assert.equal(other.code, 2);
  assert.match(other.stderr, /belongs to scripted/);
  const near = await home.run(["run", "--agent", "scriptde", "x"]);
  assert.match(near.stderr, /no agent scriptde; did you mean scripted\? there are: claude,/);
  const agent = await home.run(["run", "--agent", "nobody", "x"]);
  assert.equal(agent.code, 2);
  assert.match(agent.stderr, /no agent nobody; there are: claude, codex, opencode, house, scripted, ends/);
});

for (const [signal, code] of firstOf([["SIGINT", 130] as const, ["SIGTERM", 143] as const], 1)) {
  test(`${signal} cancels the turn, waits for it and exits with ${code}`, async () => {
    await using home = new Home();
    const child = home.start(["run", "[[slow 60000]]"]);
    const talking = said(child.stdout, "still working");
    const exit = finished(child);
    await talking;
    child.kill(signal);
    const { code: got, stderr } = await exit;
    assert.equal(got, code);
    assert.match(stderr, /the turn ended: cancelled/);
    const { stdout } = await home.run(["sessions", "--json"]);
    assert.deepEqual(JSON.parse(stdout)[0].lastEnd.reason, "cancelled");
  });
}

test("a second signal leaves at once, whatever the agent does", async () => {
  await using home = new Home();
  const stubborn = { command: [process.execPath, STUBBORN] };
  home.configure({ agents: { stubborn }, defaultAgent: "stubborn" });
  const child = home.start(["run", "x"]);
  const talking = said(child.stdout, "on and on");
  const stopping = said(child.stderr, "stopping");
  const exit = finished(child);
  await talking;
  child.kill("SIGTERM");
  await stopping;
  // Another signal than the first is no echo of it.
  child.kill("SIGINT");
  const { code, stderr } = await exit;
  assert.equal(code, 130);
  assert.doesNotMatch(stderr, /the turn ended/);
});

test("a reader that leaves ends it quietly, and the turn with it", async () => {
  await using home = new Home();
  const child = home.start(["run", "--format", "events", "[[slow 60000]]"]);
  await said(child.stdout, "turn.started");
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const code = new Promise((resolve) => child.once("exit", resolve));
  child.stdout?.destroy();
  assert.equal(await code, 141);
  assert.equal(stderr, "");
  const { stdout } = await home.run(["sessions", "--json"]);
  assert.equal(JSON.parse(stdout)[0].turn, null);
});

test("an answer that cannot be written is a failure", { skip: process.platform !== "linux" }, async () => {
  await using home = new Home();
  const full = openSync("/dev/full", "w");
  try {
    for (const args of [["run", "hello"], ["agents"]]) {
      const child = home.start(args, { stdout: full });
      const stderr = said(child.stderr, "stdout cannot be written to");
      const exit = once(child, "exit");
      await stderr;
      assert.equal((await exit)[0], 1, args[0]);
    }
  } finally {
    closeSync(full);
  }
});

test("two at the same time share one server, and the one that has it stays until the other is done", async () => {
  await using home = new Home();
  const first = home.start(["run", "[[slow 60000]]"]);
  const [talking, firstExit] = [said(first.stdout, "still working"), finished(first)];
  await talking;
  const second = home.start(["run", "--format", "events", "[[slow 1500]]"]);
  const [begun, secondExit] = [said(second.stdout, "turn.started"), finished(second)];
  await begun;
  first.kill("SIGINT");
  const [one, two] = await Promise.all([firstExit, secondExit]);
  assert.equal(two.code, 0, two.stderr);
  assert.equal(one.code, 130);
  assert.match(one.stderr, /another command works through this one: waiting for it; Ctrl-C leaves at once/);
});

test("two runs with a token of the user's share the server that the first one started", long, async () => {
  await using home = new Home();
  const env = { PARLEY_TOKEN: "a-token-of-my-own-choice" };
  const first = home.start(["run", "[[slow 60000]]"], { env });
  const [talking, exit] = [said(first.stdout, "still working"), finished(first)];
  await talking;
  const second = await home.run(["run", "hello"], { env });
  assert.equal(second.code, 0, second.stderr);
  first.kill("SIGINT");
  assert.equal((await exit).code, 130);
});

test("a server with a token that is written nowhere is named as the reason", async () => {
  await using home = new Home();
  const token = "a-token-that-is-not-in-a-file";
  await home.serve([], { env: { PARLEY_TOKEN: token } });
  const { code, stderr } = await home.run(["run", "x"]);
  assert.equal(code, 1);
  assert.match(stderr, /does not accept the token.*PARLEY_TOKEN/);
  assert.equal((await home.run(["run", "x"], { env: { PARLEY_TOKEN: token } })).code, 0);
});

test("the agent does not inherit the token", async () => {
  await using home = new Home();
  const agent = home.write(
    "agent.mjs",
    'process.stdin.once("data", () => { console.error("token:", process.env.PARLEY_TOKEN); process.exit(1); });',
  );
  home.configure({ agents: { spy: { command: [process.execPath, agent] } }, defaultAgent: "spy" });
  const { stderr } = await home.run(["run", "x"], { env: { PARLEY_TOKEN: "0123456789abcdef" } });
  assert.match(stderr, /token: undefined/);
});
