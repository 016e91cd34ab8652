import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { EventType } from "../../src/core/events/catalog.ts";
import type { EventOf, ParleyEvent } from "../../src/core/events/event.ts";
import type { Item } from "../../src/core/events/items.ts";
import { isRunning, onLinux, startTime } from "../../src/host/process-identity.ts";
import { answering, type FakeAgent } from "./fake-agent.ts";
import { ended, gatewayOn, type Rig, rig, text, types } from "./rig.ts";

function ofType<T extends EventType>(events: readonly ParleyEvent[], type: T): EventOf<T>[] {
  return events.filter((event) => event.type === type) as unknown as EventOf<T>[];
}

function items<K extends Item["kind"]>(events: readonly ParleyEvent[], kind: K): Extract<Item, { kind: K }>[] {
  return ofType(events, "item.completed")
    .map((event) => event.data.item)
    .filter((item): item is Extract<Item, { kind: K }> => item.kind === kind);
}

/** Runs a command to the end of its turn. */
async function shell(r: Rig, id: string, command: string): Promise<ParleyEvent[]> {
  const { turn } = await r.gateway.work.shell(id, { command });
  await r.until(id, (event) => ended(event) && event.turn === turn);
  return (await r.assertLawful(id)).filter((event) => event.turn === turn);
}

const partsOf = (fake: FakeAgent): string[] =>
  fake.last.prompts.at(-1)?.parts.map((part) => (part.type === "text" ? part.text : "")) ?? [];

test("B11: a command of the client's is a turn of its own, run in the session's directory without the agent", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const events = await shell(r, id, "echo out; echo err >&2; pwd; exit 3");
  assert.deepEqual(
    types(events).filter((type) => type !== "item.delta"),
    [
      "turn.started",
      "item.started",
      "item.completed",
      "step.started",
      "item.started",
      "item.updated",
      "item.started",
      "item.completed",
      "item.completed",
      "step.ended",
      "turn.ended",
    ],
  );
  const [started] = ofType(events, "turn.started");
  assert.deepEqual(
    [started?.data.by, started?.data.prompt?.task],
    ["user", { type: "shell", command: "echo out; echo err >&2; pwd; exit 3" }],
  );
  const [user] = items(events, "message");
  assert.deepEqual(
    user?.content?.map((part) => part.synthetic),
    [true],
  );
  const [call] = items(events, "tool_call");
  assert.deepEqual([call?.name, call?.status, call?.metadata], ["bash", "completed", { exitCode: 3 }]);
  assert.equal(items(events, "tool_result")[0]?.text, `out\nerr\n${r.directory}\n`);
  assert.equal(ofType(events, "turn.ended")[0]?.data.reason, "end_turn");
  assert.ok(events.every(({ source }) => source === "parley"));
  assert.equal(r.fake.starts.length, 0, "the agent is not started for it");
  assert.equal((await r.gateway.get(id)).title, undefined, "a command names no session");
});

test("the agent is told with its next prompt, once, and the log has it with that prompt", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  await shell(r, id, "echo one");
  await shell(r, id, "echo two; exit 1");
  const { turn } = await r.gateway.prompt(id, text("What did I do?"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  const [said, first, second, ...more] = partsOf(r.fake);
  assert.equal(said, "What did I do?");
  assert.match(first ?? "", /\$ echo one\none\n\(exit code 0\)$/);
  assert.match(second ?? "", /\$ echo two; exit 1\ntwo\n\(exit code 1\)$/);
  assert.deepEqual(more, []);
  const events = (await r.assertLawful(id)).filter((event) => event.turn === turn);
  const [user] = items(events, "message");
  assert.deepEqual([user?.text, user?.content?.length], ["What did I do?", 3]);
  assert.equal((await r.gateway.get(id)).title, "What did I do?");
  const next = await r.gateway.prompt(id, text("And now?"));
  await r.until(id, (event) => ended(event) && event.turn === next.turn);
  assert.deepEqual(partsOf(r.fake), ["And now?"]);
});

test("what the agent has not been told survives a restart", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  await shell(r, id, "echo before the restart");
  await r.gateway.shutdown();
  const { fake } = r;
  fake.onPrompt = answering;
  const again = gatewayOn(r.log, r.directory, { agents: new Map([["fake", fake]]) });
  await again.tenure.recover();
  const { turn } = await again.prompt(id, text("Hello"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  assert.match(partsOf(fake)[1] ?? "", /before the restart/);
  await again.shutdown();
});

test("much output reaches the agent as its beginning and its end, with a note of what is missing", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  await shell(r, id, "echo first; seq 1 30000; echo last");
  const { turn } = await r.gateway.prompt(id, text("Read it"));
  await r.until(id, (event) => ended(event) && event.turn === turn);
  const told = partsOf(r.fake)[1] ?? "";
  assert.ok(told.length < 7_000, `${told.length} characters`);
  assert.match(told, /first\n1\n2\n.*characters left out.*29999\n30000\nlast\n\(exit code 0\)$/s);
});

test("a busy session refuses a command, and the same request twice is one run", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const request = { id: "msg_shell", command: "echo x >> ran; cat ran" };
  const receipts = await Promise.all([r.gateway.work.shell(id, request), r.gateway.work.shell(id, request)]);
  assert.deepEqual(receipts[0], receipts[1]);
  await r.until(id, ended);
  assert.equal(items(await r.assertLawful(id), "tool_result")[0]?.text, "x\n");
  await assert.rejects(r.gateway.work.shell(id, { ...request, command: "echo other" }), { code: "prompt_conflict" });
  const got = r.fake.prompted();
  await r.gateway.prompt(id, text("work"));
  await got;
  await assert.rejects(r.gateway.work.shell(id, { command: "echo no" }), { code: "busy" });
});

test("a prompt that comes while a command runs waits for it, a steered one too", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  // The agent runs already: its session could be steered.
  const warm = await r.gateway.prompt(id, text("warm up"));
  await r.until(id, (event) => ended(event) && event.turn === warm.turn);
  const gate = join(r.directory, "gate");
  const { turn } = await r.gateway.work.shell(id, {
    command: `while ! test -e ${gate}; do sleep 0.01; done; echo open`,
  });
  const receipt = await r.gateway.prompt(id, text("next", { delivery: "steer" }));
  assert.equal(receipt.status, "queued");
  await writeFile(gate, "");
  await r.until(id, (event) => ended(event) && event.turn === turn);
  await r.until(id, (event) => event.type === "turn.started" && event.data.prompt?.id === receipt.prompt);
  await r.until(id, (event) => ended(event) && event.turn !== turn && event.turn !== warm.turn);
  assert.deepEqual(partsOf(r.fake)[0], "next");
  assert.match(partsOf(r.fake)[1] ?? "", /open/);
  await r.assertLawful(id);
});

test("a cancel ends the command, all it started, and the turn once", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  // One of them has left its group, its parent and its environment.
  const hidden = onLinux ? "a=$(env -i setsid sh -c 'echo $$; exec sleep 61 >&2' &)" : "true";
  const command = `${hidden}; sleep 60 & echo pids $$ $a $!; wait`;
  const { turn } = await r.gateway.work.shell(id, { command });
  const delta = await r.until(id, (event) => event.type === "item.delta" && /pids/.test(event.data.delta ?? ""));
  const said = delta.type === "item.delta" ? (delta.data.delta ?? "") : "";
  const pids = [...said.matchAll(/\d+/g)].map(([pid]) => ({ pid: Number(pid), start: startTime(Number(pid)) ?? "" }));
  assert.equal(pids.filter(({ pid, start }) => isRunning(pid, start)).length, onLinux ? 3 : 2);
  assert.equal(await r.gateway.cancel(id, { queue: "clear" }), turn);
  assert.equal(pids.filter(({ pid, start }) => isRunning(pid, start)).length, 0);
  const events = await r.assertLawful(id);
  assert.deepEqual(
    ofType(events, "turn.ended").map(({ data }) => data.reason),
    ["cancelled"],
  );
  const [call] = items(events, "tool_call");
  assert.deepEqual([call?.status, call?.error?.code], ["failed", "aborted"]);
  const next = await r.gateway.prompt(id, text("Hello"));
  await r.until(id, (event) => ended(event) && event.turn === next.turn);
  assert.match(partsOf(r.fake)[1] ?? "", /pids .*the user stopped it/s);
});

test("a command in a directory that is gone fails its turn with one error", async (t) => {
  const r = await rig(t);
  const directory = join(r.directory, "gone");
  await mkdir(directory);
  const { id } = await r.gateway.create({ directory });
  await rm(directory, { recursive: true });
  const events = await shell(r, id, "echo hello");
  const [end] = ofType(events, "turn.ended");
  assert.deepEqual([end?.data.reason, end?.data.error?.code], ["error", "spawn_failed"]);
});

test("a shutdown ends the command and closes its turn as interrupted", async (t) => {
  const r = await rig(t);
  const { id } = await r.gateway.create({ directory: r.directory });
  const late = join(r.directory, "late");
  await r.gateway.work.shell(id, { command: `echo begun; sleep 60; touch ${late}` });
  await r.until(id, (event) => event.type === "item.delta");
  await r.gateway.shutdown();
  const events = await r.assertLawful(id);
  const [end] = ofType(events, "turn.ended");
  assert.equal(end?.data.reason, "interrupted");
  assert.match(end?.data.tell ?? "", /begun/);
  assert.equal(existsSync(late), false);
});

test("what the agent says while a command runs is heard after it, as a turn of its own", async (t) => {
  const r = await rig(t);
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  const warm = await r.gateway.prompt(id, text("warm up"));
  await r.until(id, (event) => ended(event) && event.turn === warm.turn);
  const gate = join(r.directory, "gate");
  const { turn } = await r.gateway.work.shell(id, { command: `while ! test -e ${gate}; do sleep 0.01; done` });
  r.fake.last.say({ type: "text.done", item: "bg", kind: "message", text: "By the way" });
  r.fake.last.say({ type: "turn.finished", turn: "own", reason: "end_turn" });
  // Answered after what the agent said was taken in.
  await r.gateway.update(id, { title: "Own words" });
  await writeFile(gate, "");
  await r.until(id, (event) => ended(event) && event.turn === turn);
  const own = await r.until(id, (event) => event.type === "turn.started" && event.data.by === "agent");
  await r.until(id, (event) => ended(event) && event.turn === own.turn);
  const events = await r.assertLawful(id);
  const during = events.filter((event) => event.turn === turn);
  assert.deepEqual(
    items(during, "message").map(({ role }) => role),
    ["user"],
  );
  assert.equal(items(events, "message").at(-1)?.text, "By the way");
});
