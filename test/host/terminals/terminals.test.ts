import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { idSource } from "../../../src/core/ids.ts";
import { createProcessHost } from "../../../src/host/process-host.ts";
import { onLinux } from "../../../src/host/process-identity.ts";
import type { Terminal, TerminalEvent } from "../../../src/host/terminals/contract.ts";
import { OpenTerminals, type TerminalsOptions } from "../../../src/host/terminals/terminals.ts";
import { eventually } from "../../support/eventually.ts";
import { alive, collector, identify, tempDirectory } from "../support.ts";

async function setUp(t: TestContext, options: Partial<TerminalsOptions> = {}) {
  const directory = await tempDirectory(t);
  const runDirectory = join(directory, "run");
  const terminals = new OpenTerminals({ runDirectory, instance: "test", id: idSource(Date.now), ...options });
  t.after(() => terminals.close());
  const events: TerminalEvent[] = [];
  terminals.listen((event) => events.push(event));
  const run = (script: string): Promise<Terminal> =>
    terminals.create({ directory, command: "/bin/sh", args: ["-c", script] });
  return { directory, runDirectory, terminals, events, run };
}

function textOf({ output }: Terminal): string {
  let text = "";
  for (let at = output.start; at < output.end; ) {
    const piece = output.read(at, output.end);
    text += piece.text;
    at = piece.next;
  }
  return text;
}

function watched(terminal: Terminal, what: (terminal: Terminal) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = terminal.watch(() => look());
    const look = (): void => {
      if (!what(terminal)) return;
      stop();
      resolve();
    };
    look();
  });
}

const ended = (terminal: Terminal): Promise<void> => watched(terminal, (one) => one.ended);
const says = (terminal: Terminal, text: string): Promise<void> =>
  watched(terminal, (one) => textOf(one).includes(text));

test("B10: the last output is there at the end, however busy this process is", async (t) => {
  const { run } = await setUp(t);
  const terminal = await run("stty -onlcr; head -c 60000 /dev/zero | tr '\\0' x; printf END");
  // Long enough, each time, for what waits to be given up for lost.
  const stop = terminal.watch(() => {
    const free = performance.now() + 250;
    while (performance.now() < free);
  });
  await ended(terminal);
  stop();
  assert.equal(terminal.output.end, 60_003);
  assert.ok(textOf(terminal).endsWith("xEND"));
});

test("B10: an agent that is started later has no hold on a terminal", {
  skip: !onLinux && "needs /proc",
}, async (t) => {
  const { run, directory, runDirectory } = await setUp(t);
  const open = await Promise.all([run("read x"), run("read x"), run("read x")]);
  const host = createProcessHost({ runDirectory, instance: "test" });
  const script =
    "for (const fd of fs.readdirSync('/proc/self/fd')) try { console.log(fs.readlinkSync('/proc/self/fd/' + fd)) } catch {}";
  const lines = collector();
  const argv = [process.execPath, "-e", `const fs = require("node:fs"); ${script}`] as const;
  await host.spawn({ argv, directory, session: "ses_1" }, lines.events).exited;
  let said = "";
  const command = host.run({ argv, directory, session: "ses_1" }, { output: (text) => (said += text) });
  await command.exited;
  assert.ok(lines.lines.length > 3 && said.length > 0);
  const own = readdirSync("/proc/self/fd");
  assert.ok(own.length > 3);
  for (const seen of [lines.lines.join("\n"), said]) assert.doesNotMatch(seen, /ptmx|\/pts\//);
  for (const terminal of open) assert.equal(terminal.ended, false);
});

test("B10: the processes that a program leaves behind end with it", async (t) => {
  const { run, runDirectory } = await setUp(t);
  const terminal = await run("trap '' HUP; sleep 1000 & echo pid $!; exit 4");
  await ended(terminal);
  const pid = Number(/pid (\d+)/.exec(textOf(terminal))?.[1]);
  assert.equal(terminal.info.exitCode, 4);
  const left = identify(pid);
  await eventually("the sleep is gone", () => !alive(left));
  await eventually("the table of processes is empty", () => readdirSync(runDirectory).length === 0);
});

test("B10: closing ends all terminals, also programs that ignore a hang-up, and opens no more", async (t) => {
  const { run, terminals, runDirectory } = await setUp(t);
  const open = await Promise.all([
    run("echo up; read x"),
    run("trap '' HUP TERM INT; echo up; while :; do sleep 1000; done"),
    run("setsid sleep 1000 & echo pid $!; echo up; wait"),
  ]);
  await Promise.all(open.map((one) => says(one, "up")));
  const pids = open.flatMap((one) => [
    one.info.pid,
    ...[...textOf(one).matchAll(/pid (\d+)/g)].map((m) => Number(m[1])),
  ]);
  const family = pids.map(identify);
  assert.equal(family.filter(alive).length, 4);
  await Promise.all([assert.rejects(run("read x"), /shutting down/), terminals.close()]);
  assert.deepEqual(family.filter(alive), []);
  assert.ok(open.every((one) => one.ended));
  assert.deepEqual(readdirSync(runDirectory), []);
});

test("B10: those that have exited are kept up to a number, and the oldest goes first", async (t) => {
  const { run, terminals, events, directory } = await setUp(t, { keptExited: 2 });
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    const terminal = await run(`exit ${i}`);
    await ended(terminal);
    ids.push(terminal.id);
  }
  await eventually("all is told", () => events.length === 10);
  assert.deepEqual(
    terminals.list(directory).map(({ id, info }) => [id, info.exitCode]),
    [
      [ids[2], 2],
      [ids[3], 3],
    ],
  );
  const deleted = events.flatMap((event) => (event.type === "deleted" ? [event.id] : []));
  assert.deepEqual(deleted, ids.slice(0, 2));
});

test("B10: writes and changes that come too late for a terminal do no harm", async (t) => {
  const { run, terminals } = await setUp(t);
  const terminal = await run("exit 0");
  await ended(terminal);
  await terminal.write("into the void");
  assert.equal(terminals.update(terminal.id, { size: { rows: 10, cols: 10 }, title: "over" })?.info.title, "over");
  const [first, second] = await Promise.all([terminals.remove(terminal.id), terminals.remove(terminal.id)]);
  assert.deepEqual([first, second], [true, false]);
  assert.equal(terminals.update(terminal.id, { title: "x" }), undefined);
});
