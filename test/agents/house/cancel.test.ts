import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { TOOLS } from "../../../src/agents/house/tools/all.ts";
import type { ParleyEvent } from "../../../src/core/events/event.ts";
import { isRunning, onLinux, startTime } from "../../../src/host/process-identity.ts";
import { eventually } from "../../support/eventually.ts";
import { assertWithin } from "../../support/time.ts";
import {
  type CallOptions,
  call,
  calls,
  endOf,
  finish,
  houseRig,
  ofType,
  type Part,
  playing,
  type Reply,
  say,
} from "./support.ts";
import { gated } from "./test-tools.ts";

const PATIENT = { attempts: 4, baseMs: 60_000, maxMs: 60_000, patienceMs: 600_000 };

/** Nothing comes after these parts until the call is given up. */
const then = (...parts: Part[]) =>
  async function* (options: CallOptions): AsyncGenerator<Part> {
    yield* parts;
    await new Promise((resolve) => options.abortSignal?.addEventListener("abort", resolve));
  };

const failing = (): Iterable<Part> => [...say("Half"), { type: "error", error: new TypeError("terminated") }];
const begun: Part = { type: "tool-input-start", id: "w", toolName: "write" };

type Phase = [name: string, reply: Reply, seen: (event: ParleyEvent) => boolean];

const isDelta = (event: ParleyEvent): boolean => event.type === "item.delta";
const phases: Phase[] = [
  ["before the first word", then(), (event) => event.type === "step.started"],
  ["in a text", then(...say("Half").slice(0, 2)), isDelta],
  [
    "in a thought",
    then({ type: "reasoning-start", id: "r" }, { type: "reasoning-delta", id: "r", delta: "Hm" }),
    isDelta,
  ],
  ["in a call's input", then(begun), (event) => event.type === "item.started" && event.data.item.kind === "tool_call"],
  ["in the wait before a retry", failing, (event) => event.type === "turn.status" && event.data.status === "retrying"],
];

for (const [name, reply, seen] of phases) {
  test(`a cancel ${name} ends the turn once, and the session goes on`, async (t) => {
    const { model } = playing(reply, say("Hello."));
    const made = await houseRig(t, { model, retry: PATIENT });
    const turn = await made.start("go");
    await made.until(made.session, (event) => event.turn === turn && seen(event));
    await made.gateway.cancel(made.session, { queue: "clear" });
    assert.equal(endOf(await made.over(turn)).reason, "cancelled");
    assert.equal(endOf(await made.turn("again")).reason, "end_turn");
  });
}

test("a cancel while permissions wait beside a tool that runs settles all of them and writes nothing", async (t) => {
  const { tool, started } = gated("busy");
  const { model, asked } = playing(
    [
      ...call("write", { path: "a", content: "1" }, "w1"),
      ...call("write", { path: "a", content: "2" }, "w2"),
      ...call("bash", { command: "touch b" }, "b1"),
      ...call("busy", {}, "g1"),
      finish("tool-calls"),
    ],
    say("Hello."),
  );
  const made = await houseRig(t, { model, tools: [tool, ...TOOLS] });
  const turn = await made.start("go");
  await Promise.all([started, made.asked().then(() => made.asked())]);
  await made.gateway.cancel(made.session, { queue: "clear" });
  const events = await made.over(turn);
  assert.deepEqual(
    calls(events).map(({ status, error }) => [status, error?.code]),
    Array.from({ length: 4 }, () => ["failed", "aborted"]),
  );
  assert.ok(ofType(events, "permission.resolved").every(({ data }) => data.outcome === "cancelled"));
  assert.equal(endOf(events).reason, "cancelled");
  assert.deepEqual(await readdir(made.work), []);
  await made.turn("again");
  const results = asked[1]?.prompt.flatMap(({ content }) => (typeof content === "string" ? [] : [...content])) ?? [];
  assert.equal(results.filter(({ type }) => type === "tool-result").length, 4);
});

test("a cancel of a doom loop's ask ends the turn", async (t) => {
  const { model } = playing(...["a", "b", "c"].map((id) => call("todo", { todos: [] }, id)), say("Hello."));
  const made = await houseRig(t, { model });
  const turn = await made.start("go");
  await made.asked();
  await made.gateway.cancel(made.session, { queue: "clear" });
  assert.equal(endOf(await made.over(turn)).reason, "cancelled");
});

test("a cancel during a long command ends the turn long before the command would end, and leaves no process", async (t) => {
  // One of them has left its group, its parent and its environment.
  const hidden = onLinux ? "(env -i setsid sh -c 'echo pid $$; exec sleep 3601' &)" : "true";
  const command = `${hidden}; echo pid $$; sleep 3600 & echo child $!; wait`;
  const { model } = playing(call("bash", { command }));
  const made = await houseRig(t, { model });
  const turn = await made.start("go");
  const { data } = await made.asked();
  await made.gateway.answer(made.session, data.ask, { kind: "permission", outcome: "once" }, "test");
  let output = "";
  await eventually("the command says its pids", async () => {
    const deltas = ofType(await made.events(made.session), "item.delta");
    output = deltas.map((event) => event.data.delta ?? "").join("");
    return /child \d+\n/.test(output) && output.match(/pid \d+\n/g)?.length === (onLinux ? 2 : 1);
  });
  const pids = [...output.matchAll(/(?:pid|child) (\d+)/g)].map((match) => Number(match[1]));
  const running = pids.map((pid) => ({ pid, start: startTime(pid) ?? "" }));
  assert.equal(running.filter(({ pid, start }) => isRunning(pid, start)).length, onLinux ? 3 : 2);
  const began = performance.now();
  await made.gateway.cancel(made.session, { queue: "clear" });
  const took = performance.now() - began;
  t.diagnostic(`cancelled within ${Math.round(took)} ms`);
  const events = await made.over(turn);
  assertWithin(took, 20_000, "the cancel");
  assert.equal(endOf(events).reason, "cancelled");
  await eventually("no process is left", () => running.every(({ pid, start }) => !isRunning(pid, start)));
});

test("a cancel while a permission waits withdraws it and leaves nothing changed", async (t) => {
  const { model } = playing(call("write", { path: "a.txt", content: "x" }));
  const made = await houseRig(t, { model });
  const turn = await made.start("go");
  await made.asked();
  await made.gateway.cancel(made.session, { queue: "clear" });
  const events = await made.over(turn);
  assert.deepEqual(
    ofType(events, "permission.resolved").map(({ data }) => data.outcome),
    ["cancelled"],
  );
  await assert.rejects(readFile(join(made.work, "a.txt")));
});

test("a cancel is heard even by a model that hangs and does not listen", async (t) => {
  const reached = Promise.withResolvers<void>();
  const { model } = playing(async function* () {
    yield* say("So far");
    reached.resolve();
    await new Promise(() => {});
  });
  const made = await houseRig(t, { model });
  const turn = await made.start("go");
  await reached.promise;
  await made.gateway.cancel(made.session, { queue: "clear" });
  assert.equal(endOf(await made.over(turn)).reason, "cancelled");
});
