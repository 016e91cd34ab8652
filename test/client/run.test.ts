import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient, ParleyApiError, ParleyProtocolError, type StreamEvent } from "../../src/client/index.ts";
import { startServer } from "./support.ts";

async function openSession() {
  const server = await startServer();
  const client = createClient({ url: server.url, name: "tester" });
  const session = client.session(await client.sessions.create());
  return { client, session, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test("a run yields the events of its turn, from its start to its end, and returns the outcome", async () => {
  await using place = await openSession();
  await place.session.prompt("before", { wait: true });
  const run = place.session.run("hello");
  const seen: StreamEvent[] = [];
  let result = await run.next();
  for (; !result.done; result = await run.next()) seen.push(result.value);
  const outcome = result.value;
  assert.ok(outcome);
  assert.equal(seen[0]?.type, "turn.started");
  assert.equal(seen.at(-1)?.type, "turn.ended");
  assert.ok(seen.every((event) => "turn" in event && event.turn === outcome.turn));
  assert.match(outcome.text, /You said: hello$/);
  assert.deepEqual([outcome.reason, outcome.receipt.status], ["end_turn", "started"]);
  assert.ok(outcome.usage?.tokens && outcome.duration !== undefined);
  assert.deepEqual(await run.outcome(), outcome);
  assert.equal(run.cursor, seen.at(-1)?.id);
});

test("a run asks, and goes on with the answer; the first answer wins", async () => {
  await using place = await openSession();
  const run = place.session.run("[[ask ls]]");
  for await (const event of run) {
    if (event.type === "permission.resolved") assert.deepEqual([event.data.outcome, event.data.by], ["once", "tester"]);
    if (event.type !== "permission.requested") continue;
    const [ask] = await place.session.asks();
    assert.equal(ask?.id, event.data.ask);
    assert.equal(ask?.kind === "permission" && ask.request.action, "bash");
    assert.deepEqual(await place.client.asks(), [ask]);
    assert.deepEqual(await place.session.answer(event.data.ask, "once"), { ask: event.data.ask, outcome: "once" });
    await assert.rejects(
      place.session.answer(event.data.ask, { outcome: "reject", feedback: "no" }),
      (error) =>
        error instanceof ParleyApiError &&
        error.code === "already_answered" &&
        (error.problem.resolution as { outcome: string }).outcome === "once",
    );
  }
  assert.equal((await run.outcome()).text, "You allowed it (once).");
  assert.deepEqual(await place.session.asks(), []);
});

test("questions are answered with a list for each", async () => {
  await using place = await openSession();
  const run = place.session.run("[[question]]");
  for await (const event of run) {
    if (event.type !== "question.requested") continue;
    await place.session.answer({ id: event.data.ask }, { outcome: "answered", answers: [["blue"]] });
  }
  assert.equal((await run.outcome()).text, "You chose: blue.");
});

test("a failed turn is an outcome, not an exception", async () => {
  await using place = await openSession();
  const outcome = await place.session.prompt("[[error]]", { wait: true });
  assert.deepEqual([outcome.reason, outcome.error?.code], ["error", "scripted"]);
});

test("a queued run begins with its place in the queue; a cancel that clears the queue withdraws it", async () => {
  await using place = await openSession();
  const first = place.session.run("[[slow 60000]]");
  await first.next();
  const second = place.session.run("hello");
  const { value: queued } = await second.next();
  assert.equal(queued && "type" in queued && queued.type, "prompt.queued");
  assert.equal((await place.session.cancel()).cancelled, true);
  const outcome = (async () => {
    const types: string[] = [];
    for await (const event of second) types.push(event.type);
    return types;
  })();
  assert.deepEqual(await outcome, ["prompt.withdrawn"]);
  assert.equal((await second.outcome()).reason, "withdrawn");
  for await (const _ of first);
  assert.equal((await first.outcome()).reason, "cancelled");
});

test("a prompt that waits can be withdrawn, or kept over a cancel", async () => {
  await using place = await openSession();
  await place.session.prompt("[[slow 60000]]");
  const gone = await place.session.prompt("gone");
  const kept = await place.session.prompt("kept");
  assert.deepEqual([gone.status, kept.status], ["queued", "queued"]);
  await place.session.withdraw(gone);
  await place.session.cancel({ queue: "keep" });
  assert.equal((await place.session.turn(gone).outcome()).reason, "withdrawn");
  const outcome = await place.session.turn(kept).outcome();
  assert.match(outcome.text, /You said: kept/);
});

test("outcome() beside a loop waits for the loop and takes no events from it", async () => {
  await using place = await openSession();
  const run = place.session.run("hello");
  const first = await run.next();
  const outcome = run.outcome();
  let count = 1;
  for await (const _ of run) count++;
  const { turn } = await outcome;
  const stored: StreamEvent[] = [];
  for await (const event of place.session.events({ follow: false })) stored.push(event);
  assert.equal(first.done, false);
  assert.equal(count, stored.filter((event) => "turn" in event && event.turn === turn).length + deltasFolded(stored));
});

function deltasFolded(events: StreamEvent[]): number {
  return events.reduce((sum, event) => sum + (("folded" in event && event.folded) || 0), 0);
}

test("a session that is deleted ends its streams with its last event, and its runs", async () => {
  await using place = await openSession();
  const { session } = place;
  const run = session.run("[[slow 60000]]");
  await run.next();
  const types: string[] = [];
  let deleting: Promise<void> | undefined;
  for await (const event of session.events()) {
    types.push(event.type);
    if (event.type === "item.delta") deleting ??= session.delete();
  }
  await deleting;
  assert.equal(types.at(-1), "session.ended");
  for await (const _ of run);
  assert.equal((await run.outcome()).reason, "interrupted");
  await assert.rejects(session.events().next(), (error) => error instanceof ParleyApiError && error.status === 404);
});

test("a run sends its prompt when it is called, also if nobody reads its events", async () => {
  await using place = await openSession();
  place.session.run("[[slow 60000]]");
  for await (const event of place.session.events()) if (event.type === "turn.started") break;
});

test("leaving a run before its first event has no outcome, and the prompt runs on", async () => {
  await using place = await openSession();
  const run = place.session.run("hello");
  await run.return();
  await assert.rejects(run.outcome(), /left before its turn had ended/);
  for await (const event of place.session.events()) if (event.type === "turn.ended") break;
  assert.equal((await place.session.get()).turns, 1);
});

test("a run whose prompt is refused, and that nobody reads, fails nowhere else", async () => {
  await using place = await openSession();
  const unread = place.session.run({ text: "hello", model: "no such model" });
  await assert.rejects(place.session.run({ text: "hello", model: "no such model" }).next(), ParleyApiError);
  await assert.rejects(unread.outcome(), ParleyApiError);
});

test("an option in the wrong place is refused, with the right place", async () => {
  await using place = await openSession();
  const { client, session } = place;
  const misplaced: object = { model: "large" };
  const cases: [() => unknown, RegExp][] = [
    [
      () => session.run("hello", misplaced),
      /^run has no option "model"; it belongs to the prompt: run\(\{ text, model \}\)$/,
    ],
    [() => session.prompt("hello", misplaced), /belongs to the prompt: prompt\(\{ text, model \}\)$/],
    [() => session.events(misplaced), /^events has no option "model"; it has: after, follow, /],
    [() => session.shell("ls", misplaced), /^shell has no option "model"; it has: id, signal$/],
    [() => client.allEvents(misplaced), /^allEvents has no option "model"/],
    [() => createClient({ url: client.url, ...misplaced }), /^createClient has no option "model"/],
    [() => session.run("hello", "large" as unknown as object), /^run expects options as an object$/],
  ];
  for (const [call, expected] of cases)
    assert.throws(call, (error) => error instanceof TypeError && expected.test(error.message));
  await assert.rejects(client.sessions.list({ dir: "/tmp" } as object), /sessions\.list has no option "dir"/);
  assert.equal((await session.get()).turns, 0);
});

test("the turn of a prompt that the session does not know ends with its session", async () => {
  await using place = await openSession();
  let deleting: Promise<void> | undefined;
  const onConnection = () => {
    deleting ??= place.session.delete();
  };
  await assert.rejects(
    place.session.turn({ prompt: "msg_never", status: "queued", seq: 2 }, { onConnection }).outcome(),
    (error) => error instanceof ParleyProtocolError && /deleted before the turn of msg_never/.test(error.message),
  );
  await deleting;
});
