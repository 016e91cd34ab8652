import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createClient, type ParleyClient } from "../../src/client/index.ts";
import { startInTerminal, type Tui } from "../support/opencode/tui.ts";
import { long } from "../support/time.ts";
import { BIN, finished, Home, said } from "./support.ts";

async function served(home: Home): Promise<{ client: ParleyClient; session: string }> {
  const { line } = await home.serve();
  const client = createClient({ url: line, token: readFileSync(join(home.dataDir, "token"), "utf8").trim() });
  const { id } = await client.sessions.create({ directory: home.work, title: "Mine" });
  return { client, session: id };
}

function attach(home: Home, session: string, ...args: string[]): Tui {
  const argv = [BIN, "attach", session, ...args];
  return startInTerminal({ program: process.execPath, args: argv, directory: home.work, env: home.env() });
}

test("attach shows the last turn and what comes, and Ctrl-C leaves the session to itself", async () => {
  await using home = new Home();
  const { client, session } = await served(home);
  await client.session(session).prompt("one", { wait: true });
  await client.session(session).prompt("two", { wait: true });
  const tui = attach(home, session.slice(-8));
  try {
    const tail = await tui.waitFor(/> two[\s\S]*You said: two\n· scripted · \S*.*tokens in/);
    assert.doesNotMatch(tail, /> one/);
    assert.match(tail, new RegExp(`^· ${session} · scripted · .* · idle · Mine`));
    await client.session(session).prompt("[[slow 600000]] three");
    await tui.waitFor(/> \[\[slow 600000\]\] three\s+still working/);
    tui.press("ctrl+c");
    assert.equal(await tui.exited, 0);
    // The last words may still be on their way through the terminal.
    await tui.waitFor(new RegExp(`\n· detached; parley attach ${session} follows it again\n`));
    assert.equal((await client.sessions.get(session)).status, "busy");
  } finally {
    await tui.close();
  }
});

test("two who are attached see the same ask, also a sub-agent's, and it goes away for both with the first answer", async () => {
  await using home = new Home();
  const { client, session } = await served(home);
  const receipt = await client.session(session).prompt("[[subagent ask]]");
  const [one, other] = [attach(home, session), attach(home, session)];
  try {
    await Promise.all([one, other].map((tui) => tui.waitFor("[o]nce  [a]lways  [r]eject >")));
    one.type("o\r");
    await other.waitFor("answered elsewhere: once, by parley-cli");
    await Promise.all([one, other].map((tui) => tui.waitFor(/My helper\s[\s\S]*is done/)));
    assert.equal((await client.session(session).turn(receipt).outcome()).reason, "end_turn");
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test("Ctrl-D leaves an ask to others, and Ctrl-C at an ask does not answer it", long, async () => {
  await using home = new Home();
  const { client, session } = await served(home);
  await client.session(session).prompt("[[ask ls]]");
  const one = attach(home, session);
  try {
    await one.waitFor("[o]nce  [a]lways  [r]eject >");
    one.type("\u0004");
    await one.waitFor(/left to others: parley answer per_\S+ allow/);
    const other = attach(home, session);
    try {
      await other.waitFor("[o]nce  [a]lways  [r]eject >");
      other.press("ctrl+c");
      assert.equal(await other.exited, 0);
    } finally {
      await other.close();
    }
    assert.equal((await client.session(session).asks()).length, 1);
  } finally {
    await one.close();
  }
});

test("without a terminal, attach tells of asks and writes the replies to stdout", async () => {
  await using home = new Home();
  const { client, session } = await served(home);
  const child = home.start(["attach", session]);
  const [told, exit] = [said(child.stderr, "parley answer per_"), finished(child)];
  await client.session(session).prompt("[[ask ls]]");
  assert.match(await told, /\? permission: bash ls: it waits: parley answer per_\S+ allow\|always\|deny/);
  await client.session(session).cancel();
  await client.session(session).prompt("hello", { wait: true });
  await client.sessions.delete(session);
  const { code, stdout, stderr } = await exit;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /You said: hello\n$/);
  assert.match(stderr, /the turn ended: cancelled\n[\s\S]*the session was deleted\n$/);
});

test("without a server, attach shows the last turns and says that nothing more can come", async () => {
  await using home = new Home();
  const { session } = JSON.parse((await home.run(["run", "--format", "json", "one"])).stdout);
  await home.run(["run", "--continue", "two"]);
  const { code, stdout, stderr } = await home.run(["attach", session, "--tail", "2"]);
  assert.deepEqual([code, stdout.match(/You said: \w+/g)], [0, ["You said: one", "You said: two"]]);
  assert.match(stderr, /> one\n[\s\S]*> two\n[\s\S]*no server runs here, so nothing more can come\n$/);
  assert.equal((await home.run(["attach", "nope"])).code, 2);
});
