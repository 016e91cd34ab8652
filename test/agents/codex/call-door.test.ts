import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { CallDoor } from "../../../src/agents/codex/calls/door.ts";
import type { HookCall } from "../../../src/agents/codex/calls/hook.ts";
import { findProgram } from "../../../src/host/find-program.ts";
import { eventually } from "../../support/eventually.ts";
import { temporary } from "../../support/server.ts";
import { staysSo } from "../../support/time.ts";
import { type HookRun, hookInput, runHook } from "./hook-run.ts";

type Heard = { id: string; call: HookCall };

async function door(t: TestContext): Promise<{ door: CallDoor; heard: Heard[]; parent: string }> {
  const parent = await temporary(t);
  const heard: Heard[] = [];
  const opened = CallDoor.open(parent, (id, call) => heard.push({ id, call }));
  t.after(() => opened.close());
  return { door: opened, heard, parent };
}

function run(t: TestContext, ...args: Parameters<typeof runHook>): HookRun {
  const started = runHook(...args);
  t.after(() => started.child.kill("SIGKILL"));
  return started;
}

const SHELLS = ["sh", "bash", "zsh", "dash", "fish"];

for (const shell of SHELLS) {
  const skip = (await findProgram(shell)) ? false : `no ${shell} here`;
  test(`${shell} tells of a call and hears the verdict`, { skip }, async (t) => {
    const { door: open, heard } = await door(t);
    const { ended } = run(t, open.directory, hookInput({ command: "echo 'a' \\ \"b\"\n$x" }), shell);
    await eventually("the calls are heard", () => heard.length === 1);
    assert.deepEqual(heard[0]?.call.input, { command: "echo 'a' \\ \"b\"\n$x" });
    await open.answer(heard[0]?.id ?? "", "no\n'quoted' \\words");
    const { code, out } = await ended;
    assert.equal(code, 0);
    assert.equal(JSON.parse(out).hookSpecificOutput.permissionDecisionReason, "no\n'quoted' \\words");
    assert.deepEqual(readdirSync(open.directory), []);
  });
}

test("calls wait for their own verdicts, which come in any order", async (t) => {
  const { door: open, heard } = await door(t);
  const runs = [1, 2, 3, 4].map((n) =>
    run(t, open.directory, hookInput({ command: "ls" }, { tool_use_id: `call_${n}` })),
  );
  await eventually("the calls are heard", () => heard.length === runs.length);
  const over: number[] = [];
  for (const [index, { ended }] of runs.entries()) void ended.then(() => over.push(index));
  await staysSo("that no hook goes on without a verdict", () => over.length === 0);
  for (const { id, call } of heard.toReversed()) await open.answer(id, call.call === "call_2" ? "no" : undefined);
  const ends = await Promise.all(runs.map(({ ended }) => ended));
  assert.deepEqual(
    ends.map(({ code, out }) => [code, out !== ""]),
    [
      [0, false],
      [0, true],
      [0, false],
      [0, false],
    ],
  );
});

test("a bell that someone else rings lets nothing pass", async (t) => {
  const { door: open, heard } = await door(t);
  const { ended } = run(t, open.directory, hookInput({ command: "ls" }));
  await eventually("the calls are heard", () => heard.length === 1);
  let over = false;
  void ended.then(() => {
    over = true;
  });
  writeFileSync(join(open.directory, `${heard[0]?.id}.bell`), "\n");
  await staysSo("that the hook still waits", () => !over);
  await open.answer(heard[0]?.id ?? "", "no");
  assert.notEqual((await ended).out, "");
});

test("a call of a megabyte is heard whole, and one that cannot be read is refused", async (t) => {
  const { door: open, heard } = await door(t);
  const patch = "+x\n".repeat(400_000);
  const { ended } = run(t, open.directory, hookInput({ command: patch }));
  await eventually("the calls are heard", () => heard.length === 1);
  assert.equal(heard[0]?.call.input.command, patch);
  await open.answer(heard[0]?.id ?? "");
  assert.deepEqual(await ended, { code: 0, out: "", err: "" });
  const odd = await run(t, open.directory, "not JSON").ended;
  assert.match(odd.out, /deny.*could not read/);
  assert.equal(heard.length, 1);
});

test("a hook without its directory refuses in words", async (t) => {
  const { door: open, parent } = await door(t);
  await open.close();
  for (const directory of [open.directory, join(parent, "none"), ""]) {
    const { code, out, err } = await run(t, directory, hookInput({ command: "ls" })).ended;
    assert.deepEqual([code, out], [2, ""], directory);
    assert.match(err, /Parley could not be asked/);
  }
});

test("a hook whose bell is taken away refuses or waits, and never passes", async (t) => {
  const { door: open, heard } = await door(t);
  const { ended, child } = run(t, open.directory, hookInput({ command: "ls" }));
  await eventually("the calls are heard", () => heard.length === 1);
  rmSync(join(open.directory, `${heard[0]?.id}.bell`));
  child.kill("SIGTERM");
  assert.notEqual((await ended).code, 0);
  await open.answer(heard[0]?.id ?? "");
  await open.answer(heard[0]?.id ?? "", "twice");
});

test("names of others in the directory are passed over, and its end is told twice", async (t) => {
  const { door: open, heard, parent } = await door(t);
  mkdirSync(join(open.directory, "x.bell"));
  mkdirSync(join(open.directory, "x", "in"), { recursive: true });
  writeFileSync(join(open.directory, "y.bell"), "");
  writeFileSync(join(open.directory, "..bell"), "");
  open.look();
  await staysSo("that nothing is heard", () => heard.length === 0);
  await open.answer("nothing");
  await Promise.all([open.close(), open.close()]);
  assert.deepEqual(readdirSync(parent), []);
});

test("a verdict that cannot be written is no defect of Parley's", async (t) => {
  const { door: open, heard } = await door(t);
  run(t, open.directory, hookInput({ command: "ls" }));
  await eventually("the call is heard", () => heard.length === 1);
  rmSync(open.directory, { recursive: true });
  await open.answer(heard[0]?.id ?? "");
});
