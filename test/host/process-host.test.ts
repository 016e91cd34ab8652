import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SpawnFailed } from "../../src/host/contract.ts";
import { onLinux } from "../../src/host/process-identity.ts";
import { eventually } from "../support/eventually.ts";
import { staysSo } from "../support/time.ts";
import { alive, collector, identify, makeHost } from "./support.ts";

const nodeProgram = (code: string): [string, ...string[]] => [process.execPath, "-e", code];
const session = "ses_1";

/** Bytes that a process has written so far, to whatever. */
function bytesWritten(pid: number | undefined): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

test("delivers lines, takes lines, tells the exit after the last line", async (t) => {
  const { host, directory } = await makeHost(t);
  const seen = collector();
  const code =
    "process.stdin.on('data', (d) => process.stdout.write('got ' + d)).on('end', () => process.stdout.write('bye'))";
  const program = host.spawn({ argv: nodeProgram(code), directory, session }, seen.events);
  await program.started;
  await program.write("hello");
  await seen.line((line) => line === "got hello");
  program.endInput();
  let linesAtExit = 0;
  const exit = await program.exited.then((value) => {
    linesAtExit = seen.lines.length;
    return value;
  });
  assert.deepEqual(exit, { code: 0, signal: null, stderr: [] });
  assert.deepEqual(seen.lines, ["got hello", "bye"]);
  assert.equal(linesAtExit, 2);
  await program.write("into the void");
});

test("runs in its directory, in a group of its own, with the given environment and the mark", async (t) => {
  const { host, directory } = await makeHost(t);
  process.env.PARLEY_TEST_REMOVED = "here";
  t.after(() => delete process.env.PARLEY_TEST_REMOVED);
  const seen = collector();
  const code = `
    const { PARLEY_MARK, ADDED, PARLEY_TEST_REMOVED } = process.env;
    const stat = require("node:fs").readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
    console.log(JSON.stringify({ PARLEY_MARK, ADDED, PARLEY_TEST_REMOVED, cwd: process.cwd(), group: Number(stat[2]) }));`;
  const env = { ADDED: "yes", PARLEY_TEST_REMOVED: undefined };
  const program = host.spawn({ argv: nodeProgram(code), directory, session, env }, seen.events);
  await program.exited;
  const said = JSON.parse(seen.lines[0] ?? "");
  assert.match(said.PARLEY_MARK, /^test:ses_1:[0-9a-f]{8}$/);
  assert.deepEqual(said, { PARLEY_MARK: said.PARLEY_MARK, ADDED: "yes", cwd: directory, group: program.pid });
});

test("is written down while it runs", async (t) => {
  const { host, directory } = await makeHost(t);
  const run = join(directory, "run");
  const program = host.spawn({ argv: nodeProgram("process.stdin.resume()"), directory, session }, collector().events);
  const entry = JSON.parse(readFileSync(join(run, `${program.pid}.json`), "utf8"));
  assert.equal(entry.pid, program.pid);
  assert.equal(entry.session, session);
  assert.equal(entry.argv[0], process.execPath);
  program.endInput();
  await program.exited;
  await eventually("the entry is removed", () => readdirSync(run).length === 0);
});

const FAILURES: [name: string, argv: (directory: string) => [string], where: string, says: RegExp][] = [
  ["a missing program", () => ["no-such-program-here"], ".", /no program no-such-program-here was found/],
  ["a missing directory", () => [process.execPath], "gone", /the directory .*gone does not exist/],
  ["a file for a directory", () => [process.execPath], "plain", /the directory .*plain is not a directory/],
  ["a program that may not be executed", (directory) => [join(directory, "plain")], ".", /may not be executed/],
  ["a NUL in the program's name", () => ["a\0b"], ".", /null bytes/],
];

for (const [name, argv, where, says] of FAILURES) {
  test(`says what is wrong with ${name}`, async (t) => {
    const { host, directory } = await makeHost(t);
    writeFileSync(join(directory, "plain"), "text");
    chmodSync(join(directory, "plain"), 0o644);
    const spec = { argv: argv(directory), directory: join(directory, where), session };
    const program = host.spawn(spec, collector().events);
    await assert.rejects(program.started, (error) => {
      assert.ok(error instanceof SpawnFailed);
      assert.match(error.message, says);
      assert.deepEqual(error.argv, spec.argv);
      assert.equal(error.directory, spec.directory);
      return true;
    });
    assert.deepEqual(await program.exited, { code: null, signal: null, stderr: [] });
    await program.write("nobody hears this");
    await program.kill(0);
  });
}

test("keeps the last 20 lines of stderr and the exit code", async (t) => {
  const { host, directory } = await makeHost(t);
  const code = "for (let i = 1; i <= 30; i++) console.error('complaint ' + i); process.exitCode = 3";
  const program = host.spawn({ argv: nodeProgram(code), directory, session }, collector().events);
  const exit = await program.exited;
  assert.equal(exit.code, 3);
  assert.deepEqual(
    exit.stderr,
    Array.from({ length: 20 }, (_, i) => `complaint ${i + 11}`),
  );
});

for (const [name, stray] of [
  ["is silent", "setInterval(() => {}, 1000)"],
  ["talks on", "process.stdout.on('error', () => {}); setInterval(() => console.log('stray'), 20)"],
] as const) {
  test(`a stray that holds stdout and ${name} does not hold up the exit`, async (t) => {
    const { host, directory } = await makeHost(t);
    const seen = collector();
    const child = `process.on("SIGTERM", () => {}); ${stray}; require("node:fs").writeSync(3, "1")`;
    const code = `
      const { spawn } = require("node:child_process");
      const stdio = ["ignore", "inherit", "inherit", "pipe"];
      const child = spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio, detached: true });
      child.stdio[3].once("data", () => process.stdout.write(child.pid + " last words\\n", () => process.exit(0)));`;
    const program = host.spawn({ argv: nodeProgram(code), directory, session }, seen.events);
    const last = await seen.line((line) => line.includes("last words"));
    const held = identify(Number.parseInt(last, 10));
    let strayAtExit = false;
    await program.exited.then(() => {
      strayAtExit = alive(held);
    });
    assert.equal(strayAtExit, true, "nothing would be tested without the stray");
    const count = seen.lines.length;
    await program.kill(0);
    assert.equal(alive(held), false);
    assert.equal(seen.lines.length, count, "a line came after the exit");
  });
}

test("a program that is gone, or does not read, makes no write fail", async (t) => {
  const { host, directory } = await makeHost(t);
  const deaf = host.spawn({ argv: nodeProgram("setInterval(() => {}, 1000)"), directory, session }, collector().events);
  let handed = false;
  const write = deaf.write("x".repeat(4_000_000)).then(() => {
    handed = true;
  });
  await staysSo("4 MB cannot be handed over while nobody reads", () => !handed);
  await deaf.kill(0);
  await write;
  await deaf.write("more");
  deaf.endInput();
});

test("while paused no line comes, not even of a chunk that was read; afterwards all do", async (t) => {
  const { host, directory } = await makeHost(t);
  const seen: string[] = [];
  const broken: unknown[] = [];
  const code = "process.stdout.write(Array.from({ length: 5000 }, (_, i) => i + '\\n').join(''))";
  const program = host.spawn(
    { argv: nodeProgram(code), directory, session },
    {
      line(text) {
        seen.push(text);
        if (seen.length % 1000 === 0) {
          program.pause();
          const held = seen.length;
          void staysSo("no line comes", () => seen.length === held, 20)
            .catch((thrown: unknown) => broken.push(thrown))
            .then(() => program.resume());
        }
      },
      oversize() {},
    },
  );
  await program.exited;
  assert.deepEqual(broken, []);
  assert.deepEqual(
    seen,
    Array.from({ length: 5000 }, (_, i) => String(i)),
  );
});

test("a program that exits while paused loses nothing and has not exited before its lines came", async (t) => {
  const { host, directory } = await makeHost(t);
  const seen = collector();
  const code = "process.stdout.write('one\\ntwo\\n' + 'x'.repeat(100000) + '\\nlast')";
  const program = host.spawn({ argv: nodeProgram(code), directory, session }, seen.events);
  program.pause();
  let exited = false;
  void program.exited.then(() => {
    exited = true;
  });
  await eventually("the program is gone", () => readdirSync(join(directory, "run")).length === 0);
  await staysSo("the exit waits for the lines", () => !exited && seen.lines.length === 0, 400);
  program.resume();
  await program.exited;
  assert.deepEqual(seen.lines, ["one", "two", "x".repeat(100000), "last"]);
});

test("a pause is backpressure: a flooding program stops instead of filling memory", async (t) => {
  const { host, directory } = await makeHost(t);
  const seen = collector();
  const code = `
    let sent = 0;
    const line = "x".repeat(1023) + "\\n";
    const more = () => { while (sent < 50000) { sent++; if (!process.stdout.write(line)) return; } };
    process.stdout.on("drain", more);
    more();
    process.stdin.on("data", () => process.stderr.write(sent + "\\n")).on("end", () => process.exit());`;
  const program = host.spawn({ argv: nodeProgram(code), directory, session }, seen.events);
  await seen.line(() => true);
  program.pause();
  const count = seen.lines.length;
  await staysSo("no line comes", () => seen.lines.length === count, 300);
  if (onLinux) assert.ok(bytesWritten(program.pid) < 5_000_000, `${bytesWritten(program.pid)} bytes were written`);
  program.resume();
  await eventually("all lines after the pause", () => seen.lines.length === 50000);
  program.endInput();
  await program.exited;
});
