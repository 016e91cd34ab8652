import assert from "node:assert/strict";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startInTerminal } from "../support/opencode/tui.ts";
import { long } from "../support/time.ts";
import { BIN, Home, said } from "./support.ts";

async function newSession(home: Home, prompt: string, cwd?: string): Promise<string> {
  const { stdout } = await home.run(["run", "--format", "json", prompt], cwd === undefined ? {} : { cwd });
  return JSON.parse(stdout).session;
}

for (const live of [true, false]) {
  test(`sessions are listed, read and forgotten ${live ? "through the server" : "without a server"}`, async () => {
    await using home = new Home();
    const other = join(home.root, "other");
    mkdirSync(other);
    if (live) await home.serve();
    const first = await newSession(home, "first");
    const second = await newSession(home, "second", other);

    const list = await home.run(["sessions"]);
    assert.match(list.stdout, /^ID +STATUS +AGENT +AGE +DIRECTORY +TITLE\n/);
    assert.ok(list.stdout.indexOf(second) < list.stdout.indexOf(first), "newest first");
    assert.match(list.stdout, new RegExp(`^${first} +idle +scripted +\\d+s +${home.work} +first$`, "m"));
    const here = JSON.parse((await home.run(["sessions", "--json", "--all", "--dir", other])).stdout);
    assert.deepEqual(
      here.map(({ id }: { id: string }) => id),
      [second],
    );

    const events = (await home.run(["events", first.slice(-8), "--native"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(events[0].seq, 1);
    assert.ok(
      events.some(({ native }) => native !== undefined),
      "with the agent's own lines",
    );
    const after = (await home.run(["events", first, "--after", String(events.at(-2).seq)])).stdout.trim().split("\n");
    assert.equal(after.length, 1);

    const mistyped = await home.run(["sessions", "rm", first, "nope"]);
    assert.equal(mistyped.code, 2);
    const removed = await home.run(["sessions", "rm", first.slice(-8)]);
    assert.deepEqual([removed.code, removed.stderr], [0, `removed ${first}\n`]);
    const left = JSON.parse((await home.run(["sessions", "--json"])).stdout);
    assert.deepEqual(
      left.map(({ id }: { id: string }) => id),
      [second],
    );
  });
}

test("a list fits the terminal, and a pipe gets all of it", async () => {
  await using home = new Home();
  const title = "界".repeat(90);
  await home.run(["run", "--title", title, "x"]);
  const piped = await home.run(["sessions"]);
  assert.match(piped.stdout, new RegExp(`${title}$`, "m"));
  const args = [BIN, "sessions"];
  const tui = startInTerminal({ program: process.execPath, args, directory: home.work, env: home.env(), cols: 80 });
  try {
    // The end of a program is heard of before its last words are drawn.
    await tui.waitFor("…");
    assert.equal(await tui.exited, 0);
    const [head = "", row = "", next = ""] = tui.rows();
    assert.match(head, /^ID +STATUS +AGENT +AGE +DIRECTORY +TITLE$/);
    assert.match(row, /^ses_\w+ +idle +scripted +\d+s +\S+ +界+…$/);
    assert.equal(next, "", "one line a session");
  } finally {
    await tui.close();
  }
});

test("a directory that one may not read is named as such: the data directory, and one of sessions", async (t) => {
  await using home = new Home();
  await home.run(["run", "x"]);
  const locked = join(home.root, "locked");
  mkdirSync(join(locked, "in"), { recursive: true });
  chmodSync(home.root, 0o755);
  // Root may read everything, so it is somebody else here, who may not be let into the checkout.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const run = (...args: string[]) => home.run(args, { ...nobody, cwd: "/" });
  if ((await run("--version")).code !== 0) return t.skip("another user cannot run parley here");
  chmodSync(locked, 0o000);
  chmodSync(home.dataDir, 0o000);
  try {
    for (const command of [["sessions"], ["events", "x"], ["asks"], ["attach", "x"]]) {
      const { code, stderr } = await run(...command);
      assert.equal(code, 1, command[0]);
      assert.match(stderr, new RegExp(`you may not read the data directory ${home.dataDir}: .*--data-dir`));
    }
    for (const directory of [locked, join(locked, "in")]) {
      const { code, stderr } = await run("sessions", "--dir", directory);
      assert.deepEqual([code, stderr.startsWith(`parley: --dir: you may not read ${directory}: `)], [2, true], stderr);
    }
  } finally {
    for (const directory of [locked, home.dataDir]) chmodSync(directory, 0o755);
  }
});

test("nothing is made by looking: no sessions, no data directory", async () => {
  await using home = new Home();
  const { code, stdout, stderr } = await home.run(["sessions"]);
  assert.deepEqual({ code, stdout }, { code: 0, stdout: "" });
  assert.match(stderr, /no sessions yet/);
  const unknown = await home.run(["events", "x"]);
  assert.equal(unknown.code, 2);
  assert.throws(() => mkdirSync(join(home.dataDir, "..", "sub")), /ENOENT/);
});

test("--follow shows what comes, and says so where nothing can come", async () => {
  await using home = new Home();
  const id = await newSession(home, "one");
  const offline = await home.run(["events", id, "--follow"]);
  assert.equal(offline.code, 0);
  assert.match(offline.stderr, /no server runs here/);
  await home.serve();
  const follower = home.start(["events", id, "--follow", "--after", "1"]);
  const seen = said(follower.stdout, "You said: two");
  await home.run(["run", "--continue", "two"]);
  await seen;
});

test("a number past the end is a clear error, with a server and without", long, async () => {
  await using home = new Home();
  const id = await newSession(home, "one");
  const offline = await home.run(["events", id, "--after", "99999"]);
  await home.serve();
  const online = await home.run(["events", id, "--after", "99999"]);
  assert.deepEqual([offline.code, online.code], [2, 2]);
});

test("agents are listed, as a table and as JSON", async () => {
  await using home = new Home();
  home.configure({ agents: { gone: { command: ["no-such-program-anywhere"] } } });
  const { stdout } = await home.run(["agents"]);
  assert.match(stdout, /^scripted \(default\) +yes +not needed/m);
  assert.match(stdout, /^gone +no /m);
  const agents = JSON.parse((await home.run(["agents", "--json"])).stdout);
  assert.deepEqual(
    agents.map(({ name }: { name: string }) => name),
    ["claude", "codex", "opencode", "house", "scripted", "gone"],
  );
});
