import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { within } from "../../src/core/within.ts";
import { endProcesses } from "../../src/host/end-processes.ts";
import { onLinux, processInfo } from "../../src/host/process-identity.ts";
import { eventually } from "../support/eventually.ts";
import { assertWithin, PATIENCE_MS } from "../support/time.ts";
import { alive, collector, fixture, identify, makeHost } from "./support.ts";

const session = "ses_1";
const prompt = '{"type":"prompt"}';
const pidsIn = (line: string): number[] => JSON.parse(line).delta.split(" ").map(Number);

test("a program that takes TERM is gone long before the grace is over", { timeout: PATIENCE_MS }, async (t) => {
  const { host, directory } = await makeHost(t);
  const program = host.spawn({ argv: fixture("never-answers"), directory, session }, collector().events);
  await program.started;
  await program.kill(10 * PATIENCE_MS);
  assert.equal((await program.exited).signal, "SIGTERM");
});

test("a program that ignores TERM gets KILL after the grace, and not before", async (t) => {
  const { host, directory } = await makeHost(t);
  const seen = collector();
  const program = host.spawn({ argv: fixture("ignores-term"), directory, session }, seen.events);
  await program.write('{"type":"open"}');
  await seen.line((line) => line.includes("ready"));
  const begun = performance.now();
  await program.kill(400);
  const took = performance.now() - begun;
  assert.ok(took >= 400, `took ${took} ms`);
  assertWithin(took, 3000, "the end of the program");
  assert.equal((await program.exited).signal, "SIGKILL");
  assert.equal(seen.lines.filter((line) => line.includes("I stay")).length, 1, "TERM comes once");
});

test("a pause that comes after the program was ended does not hold back its end", async (t) => {
  const { host, directory } = await makeHost(t);
  const seen = collector();
  const argv = ["sh", "-c", "while :; do echo line; done"] as const;
  const program = host.spawn({ argv, directory, session }, seen.events);
  await seen.line((line) => line === "line");
  program.pause();
  await program.kill(0);
  program.pause();
  assert.ok(await within(program.exited, PATIENCE_MS), "the exit is told");
});

for (const mode of ["tree", "orphan", "hidden"]) {
  test(`no descendant survives: setsid grandchild, ${mode}`, { skip: !onLinux && "needs /proc" }, async (t) => {
    const { host, directory } = await makeHost(t);
    const seen = collector();
    const program = host.spawn({ argv: fixture("double-fork", mode), directory, session }, seen.events);
    await program.write(prompt);
    const [root = 0, child = 0, grandchild = 0] = pidsIn(await seen.line((line) => line.includes("text")));
    assert.equal(root, program.pid);
    const family = [identify(root), identify(grandchild)];
    assert.notEqual(processInfo(grandchild)?.group, root, "the grandchild has left the group");
    if (mode !== "tree") await eventually("the child between is gone", () => processInfo(child) === undefined);
    else family.push(identify(child));
    const begun = performance.now();
    t.after(() => {
      for (const { pid } of family.filter(alive)) process.kill(pid, "SIGKILL");
    });
    await program.kill(300);
    assert.deepEqual(family.filter(alive), []);
    assertWithin(performance.now() - begun, 5000, "the end of the family");
    await program.exited;
  });
}

test("processes that a program leaves behind when it exits by itself are ended, too", {
  skip: !onLinux && "needs /proc",
}, async (t) => {
  const { host, directory } = await makeHost(t);
  const seen = collector();
  const program = host.spawn({ argv: fixture("forks-and-holds-stdout"), directory, session }, seen.events);
  await program.write(prompt);
  const [pid = 0] = pidsIn(await seen.line((line) => line.includes("text")));
  const stray = identify(pid);
  await program.exited;
  await eventually("the stray is ended", () => !alive(stray));
});

test("ending one program leaves its successor in the same session alone", async (t) => {
  const { host, directory } = await makeHost(t);
  const spec = { argv: fixture("never-answers"), directory, session };
  const first = host.spawn(spec, collector().events);
  const second = host.spawn(spec, collector().events);
  await Promise.all([first.started, second.started]);
  const survivor = identify(second.pid);
  await first.kill(0);
  await first.exited;
  assert.equal(alive(survivor), true);
  await first.kill(0);
  assert.equal(alive(survivor), true);
});

test("a pid that now belongs to another process is never signalled", async (t) => {
  const bystander = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  t.after(() => bystander.kill("SIGKILL"));
  await once(bystander, "spawn");
  const now = processInfo(bystander.pid ?? 0);
  assert.ok(now);
  const before = { ...now, start: "an earlier process" };
  let looks = 0;
  const left = await endProcesses(() => ({ members: looks++ < 3 ? [before] : [], groups: [] }), 0);
  assert.deepEqual(left, []);
  assert.equal(alive(now), true);
  bystander.stdin.end();
  assert.deepEqual(await once(bystander, "exit"), [0, null]);
});

test("killing a program that never started or is long gone resolves at once", async (t) => {
  const { host, directory } = await makeHost(t);
  const program = host.spawn({ argv: [process.execPath, "-e", "0"], directory, session }, collector().events);
  await program.exited;
  await Promise.all([program.kill(5000), program.kill(5000)]);
});
