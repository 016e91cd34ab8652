import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startRig } from "./rig.ts";

/** No echo and no change of what is written; the mark says that it is so from now on. */
const QUIET = "stty -echo -onlcr; printf '>';";

describe("B10: a terminal over its WebSocket", { concurrency: 2 }, () => {
  test("echoes, runs commands and takes a new size", async (t) => {
    const rig = await startRig(t);
    const { body } = await rig.call<{ id: string }>("POST", "/pty", { command: "/bin/sh", args: ["-i"] });
    const client = await rig.join(body.id);
    client.send("echo $((6*7))-it-is\r");
    await client.saw("42-it-is");
    await client.saw("echo $((6*7))-it-is");
    await rig.call("PUT", `/pty/${body.id}`, { size: { rows: 33, cols: 111 } });
    client.send(Buffer.from("stty size\r"));
    await client.saw("33 111");
    client.send("exit 7\r");
    assert.equal(await client.closed, 1000);
    const answer = await rig.call<{ data: { status: string; exitCode: number } }>("GET", `/api/pty/${body.id}`);
    assert.deepEqual([answer.body.data.status, answer.body.data.exitCode], ["exited", 7]);
    assert.deepEqual(rig.events.at(-1)?.properties, { id: body.id, exitCode: 7 });
  });

  test("a program that a signal ends has the code a shell would give it", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run("echo up; kill -KILL $$");
    const client = rig.connect(id);
    assert.equal(await client.closed, 1000);
    assert.equal(rig.terminals.get(id)?.info.exitCode, 137);
  });

  test("a character whose bytes come apart is never cut", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run(
      `${QUIET} printf 'a\\360'; read x; printf '\\237'; read x; printf '\\230\\200b\\303'; read x; printf '\\244\\n'`,
    );
    const client = rig.connect(id);
    await client.saw("a");
    client.send("\n");
    client.send("\n");
    await client.saw("b");
    client.send("\n");
    assert.equal(await client.closed, 1000);
    assert.equal(client.text, ">a😀bä\n");
    assert.equal(rig.terminals.get(id)?.output.end, 7, "places are counted in UTF-16 units");
  });

  test("the replay depends on the cursor, and a frame says where it ended", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run(`${QUIET} printf '123456789'; read x; printf abc; read x`);
    const first = rig.connect(id);
    await first.saw("9");
    const replay = async (query: string): Promise<unknown[]> => {
      const client = await rig.join(id, query);
      client.leave();
      return client.frames;
    };
    const all = [">123456789", { cursor: 10 }];
    assert.deepEqual(await replay(""), all);
    assert.deepEqual(await replay("?cursor=0"), all);
    assert.deepEqual(await replay("?cursor=nonsense"), all, "as OpenCode takes it");
    assert.deepEqual(await replay("?cursor=4"), ["456789", { cursor: 10 }]);
    assert.deepEqual(await replay("?cursor=10"), [{ cursor: 10 }]);
    assert.deepEqual(await replay("?cursor=-1"), [{ cursor: 10 }]);
    assert.deepEqual(await replay("?cursor=99"), [{ cursor: 10 }]);
    const live = await rig.join(id, "?cursor=-1");
    first.send("\n");
    await live.saw("abc");
    assert.deepEqual(live.frames, [{ cursor: 10 }, "abc"]);
  });

  test("the end of the output is replayed after the exit, too: a client that was cut shortly before misses nothing", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run(`${QUIET} printf all-of-it`);
    assert.equal(await rig.connect(id).closed, 1000);
    const late = rig.connect(id, "?cursor=5");
    assert.equal(await late.closed, 1000);
    assert.deepEqual(late.frames, ["of-it", { cursor: 10 }]);
    assert.equal((await rig.call("GET", `/pty/${id}`)).status, 404);
  });

  test("a client that is cut again and again in the middle of output loses and doubles nothing", async (t) => {
    const rig = await startRig(t);
    const batches = 15;
    const { id } = await rig.run(
      `${QUIET} b=0; while [ $b -lt ${batches} ]; do read x; seq $((b*9000+1)) $((b*9000+9000)) | sed 's/$/ é😀/'; b=$((b+1)); done; cat >/dev/null`,
    );
    const lines = Array.from({ length: batches * 9_000 }, (_, index) => `${index + 1} é😀\n`);
    const expected = `>${lines.join("")}`;
    assert.ok(expected.length < 2 * 1024 * 1024, "nothing of it is forgotten");
    // A key that comes before the terminal is quiet is echoed, and the echo is output, too.
    const first = rig.connect(id);
    await first.saw(">");
    first.leave();
    let text = "";
    let cuts = 0;
    while (text.length < expected.length) {
      const client = rig.connect(id, `?cursor=${text.length}`);
      // The next batch is written while this client is at what it missed of the last one.
      client.socket.once("open", () => client.send("\n"));
      const before = text.length;
      const enough = Math.min(before + 60_000, expected.length);
      await client.until("a good piece came", () => before + client.text.length >= enough);
      client.leave();
      text += client.text;
      cuts += 1;
    }
    assert.ok(cuts > batches, `${cuts} cuts`);
    let at = 0;
    while (at < expected.length && text[at] === expected[at]) at += 1;
    const around = (all: string): string => JSON.stringify(all.slice(Math.max(0, at - 20), at + 40));
    assert.ok(text === expected, `differs at ${at} of ${expected.length}: ${around(text)}, not ${around(expected)}`);
  });

  test("two clients see the same and both can type", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run(`${QUIET} read a; echo "<$a>"; read b; echo "<$b>"`);
    const one = rig.connect(id);
    const two = rig.connect(id);
    await Promise.all([one.saw(">"), two.saw(">")]);
    one.send("from one\n");
    await Promise.all([one.saw("<from one>"), two.saw("<from one>")]);
    two.send("from two\n");
    assert.deepEqual(await Promise.all([one.closed, two.closed]), [1000, 1000]);
    assert.equal(one.text, "><from one>\n<from two>\n");
    assert.equal(two.text, one.text);
  });

  test("input waits for a program that does not read yet, and all of it arrives", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run("stty raw -echo; printf ready; sed -n 1q; printf reading; head -c 3000000 | wc -c");
    const client = rig.connect(id);
    await client.saw("ready");
    client.send("go\n");
    await client.saw("reading");
    for (let sent = 0; sent < 3_000_000; sent += 50_000) client.send("x".repeat(50_000));
    await client.saw("3000000");
  });

  test("a message beyond a megabyte is refused with the code for it", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run("read x");
    const client = await rig.join(id);
    client.send("x".repeat(1024 * 1024 + 1));
    assert.equal(await client.closed, 1009);
    assert.equal(rig.terminals.get(id)?.ended, false);
  });

  test("a WebSocket at any other path is not found", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run("read x");
    assert.equal(await rig.connect("pty_none").closed, 404);
    assert.equal(await rig.connect(id, "?directory=/elsewhere").closed, 404);
    assert.equal(await rig.connect(id, "?directory=%00").closed, 422);
    assert.equal((await rig.call("GET", `/pty/${id}/connect`)).status, 426);
    assert.equal((await rig.call("GET", "/pty/pty_none/connect")).status, 404);
    await rig.join(`../opencode/api/pty/${id}`);
  });
});

describe("B10: big output", () => {
  const flood = (megabytes: number): string =>
    `${QUIET} read x; i=0; while [ $i -lt ${megabytes * 16} ]; do printf %065536d $i; i=$((i+1)); done; read x`;
  const sizeOf = (megabytes: number): number => megabytes * 1024 * 1024 + 1;

  test("a client that reads gets every character of it", async (t) => {
    const rig = await startRig(t);
    const { id } = await rig.run(flood(5));
    const size = sizeOf(5);
    const client = rig.connect(id);
    await client.saw(">");
    client.send("\n");
    await client.until("all of it came", () => client.text.length >= size);
    const numbers = Array.from({ length: 5 * 16 }, (_, index) => String(index).padStart(65_536, "0"));
    const expected = `>${numbers.join("")}`;
    assert.ok(client.text === expected);
    const late = await rig.join(id);
    assert.equal(late.cursor, size);
    assert.ok(late.text.length >= 2 * 1024 * 1024 && late.text.length <= 2 * 1024 * 1024 + 64 * 1024);
    assert.ok(expected.endsWith(late.text));
  });

  test("a client that does not read is cut, holds up nobody and comes back with its cursor", async (t) => {
    const rig = await startRig(t, { keptChars: 128 * 1024 });
    // Much more than what the system's own buffers can hold for it.
    const { id } = await rig.run(flood(16));
    const size = sizeOf(16);
    const slow = rig.connect(id);
    const fast = rig.connect(id);
    await Promise.all([slow.saw(">"), fast.saw(">")]);
    slow.socket.pause();
    fast.send("\n");
    await fast.until("all of it came", () => fast.text.length >= size);
    slow.socket.resume();
    assert.equal(await slow.closed, 1013);
    assert.ok(slow.text.length < size);
    assert.ok(fast.text.startsWith(slow.text), "what it got until then has no hole");
    const back = await rig.join(id, `?cursor=${slow.text.length}`);
    assert.equal(back.cursor, size, "the cursor is right though what it asked for is forgotten");
    assert.ok(fast.text.endsWith(back.text));
    assert.ok(back.text.length >= 128 * 1024);
  });
});
