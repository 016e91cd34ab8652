import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Draft, ParleyEvent } from "../../../../src/core/events/event.ts";
import { idSource } from "../../../../src/core/ids.ts";
import { restore } from "../../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../../src/core/ledger/state.ts";
import { step } from "../../../../src/core/ledger/step.ts";
import { readEvents } from "../../../../src/gateway/read-events.ts";
import type { Log, SessionHead } from "../../../../src/log/contract.ts";
import { openSqliteLog } from "../../../../src/log/sqlite/open.ts";
import { decodeCursor, encodeCursor } from "../../../../src/surfaces/opencode/messages/cursor.ts";
import { History } from "../../../../src/surfaces/opencode/messages/history.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import type { MessageWithParts } from "../../../../src/surfaces/opencode/shapes/message.ts";
import { anyAction } from "../../../core/ledger/arbitraries.ts";
import { perform } from "../../../core/ledger/suite.ts";
import { World } from "../../../core/ledger/world.ts";
import { temporary } from "../../../support/server.ts";
import { assertWithin } from "../../../support/time.ts";
import { Client, sessionsRig } from "../sessions-rig.ts";
import { written } from "./written.ts";

const newId = idSource(Date.now);

function freshWorld(): World {
  const clock: { world?: World } = {};
  const world = new World({ step, newLedger, restore }, { id: idSource(() => clock.world?.now ?? 1_000) });
  clock.world = world;
  return world;
}

/** Stores a world's events as a session of its own. */
async function store(log: Log, events: readonly ParleyEvent[]): Promise<string> {
  const id = newId("session");
  const entries = events.map(({ id: _, seq: __, session: ___, ...draft }) => ({ draft: draft as Draft }));
  const hold = await log.open({ id });
  for (let at = 0; at < entries.length; at += 5_000) await hold.append(at, entries.slice(at, at + 5_000));
  return id;
}

async function headOf(log: Log, session: string): Promise<SessionHead> {
  const head = await log.head(session);
  assert.ok(head);
  return head;
}

/** Every page of so many messages, each by the cursor of the one before, put together. */
async function allPages(
  history: History,
  head: SessionHead,
  limit: number,
  named: boolean,
): Promise<MessageWithParts[]> {
  const messages: MessageWithParts[] = [];
  for (let before: number | undefined; ; ) {
    const page = await history.page(head, { limit, ...(before === undefined ? {} : { before }) });
    messages.unshift(...page.messages);
    if (!page.next) return messages;
    assert.equal(page.messages.length, limit);
    const { info } = page.next.message;
    const bare = Buffer.from(JSON.stringify({ id: info.id, time: info.time.created })).toString("base64url");
    const known = named && (await history.placeOf(head.state.id, info.id)) !== undefined;
    before = await decodeCursor(history, head.state.id, known ? bare : encodeCursor(page.next));
  }
}

test("all pages together are all messages, with queued and withdrawn prompts and turns of the agent's own", async (t) => {
  const log = await openSqliteLog({ directory: await temporary(t), sync: "process" });
  t.after(() => log.close());
  const history = new History(log);
  const actions = fc.array(anyAction, { minLength: 20, maxLength: 120 });
  let total = 0;
  let waited = 0;
  for (const [run, told] of fc.sample(actions, { numRuns: 60, seed: 4_711 }).entries()) {
    const world = freshWorld();
    told.forEach((action, index) => {
      perform(world, action, index);
    });
    if (run % 2 === 0) world.settle();
    const session = await store(log, world.events);
    for (const folded of [false, true]) {
      if (folded) await (await log.open(session)).fold(world.events.length);
      const head = await headOf(log, session);
      const view = new SessionView(undefined);
      for (const event of await readEvents(log, session, 0)) view.apply(event);
      const seen = new Map(view.messages().map((message) => [message.info.id, message]));
      const { messages } = await history.page(head, {});
      assert.deepEqual(new Map(messages.map((message) => [message.info.id, message])), seen);
      assert.equal(messages.length, seen.size);
      assert.equal(await written(history, head), JSON.stringify(messages), "all messages as they are written");
      const times = messages.map(({ info }) => info.time.created);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
        "oldest first",
      );
      for (const limit of [1, 2, 3, 7, messages.length || 1])
        assert.deepEqual(await allPages(history, head, limit, limit === 2), messages, `pages of ${limit}`);
      for (const message of messages.filter((_, at) => at % 3 === 0)) {
        const { id } = message.info;
        if ((await history.placeOf(session, id)) === undefined) continue;
        assert.deepEqual(await history.message(head, id), message);
      }
      total += messages.length;
    }
    waited += world.of("prompt.queued").length;
  }
  assert.ok(total > 500 && waited > 100, `${total} messages, ${waited} prompts that waited`);
});

/** A conversation with so many messages, told turn by turn: a question, a call, an answer. */
function conversation(messages: number): ParleyEvent[] {
  const world = freshWorld();
  for (let turn = 0; turn * 3 < messages; turn++) {
    const call = `call_${turn}`;
    world.now += 1_000;
    world.prompt(`msg_${String(turn).padStart(6, "0")}`);
    world.signal({ type: "step.begun", step: `a${turn}` });
    world.signal({ type: "tool.running", call, name: "read", input: { path: `src/file-${turn}.ts` } });
    world.signal({ type: "tool.done", call, ok: true, output: `${"line of the file\n".repeat(60)}${turn}` });
    world.signal({ type: "step.finished", step: `a${turn}`, finish: "tool-calls" });
    world.signal({ type: "step.begun", step: `b${turn}` });
    world.signal({
      type: "text.done",
      item: `t${turn}`,
      kind: "message",
      text: `Answer ${turn}. ${"words ".repeat(80)}`,
    });
    world.signal({ type: "step.finished", step: `b${turn}`, finish: "stop" });
    world.signal({ type: "turn.finished", reason: "end_turn" });
  }
  return world.events;
}

/** The middle of several takes, in milliseconds. */
async function timed(work: (take: number) => Promise<unknown>): Promise<number> {
  const takes: number[] = [];
  for (let take = 0; take < 7; take++) {
    const began = performance.now();
    await work(take);
    takes.push(performance.now() - began);
  }
  return takes.toSorted((a, b) => a - b)[3] ?? Number.POSITIVE_INFINITY;
}

test("a page of a session of 10,000 messages costs what a page costs, not what the session does", async (t) => {
  const { client, server } = await sessionsRig(t, { "*": [{ text: "Hello." }] });
  const { log } = server.parley.gateway;
  const [large, small] = [await store(log, conversation(10_000)), await store(log, conversation(200))];
  for (const session of [large, small]) {
    const hold = await log.open(session);
    await hold.fold(hold.head?.last ?? 0);
  }

  let read = 0;
  let largest = 0;
  const counting = {
    ...log,
    readBack: async (...args: Parameters<Log["readBack"]>) => {
      const records = await log.readBack(...args);
      read += records.length;
      largest = Math.max(largest, records.length);
      return records;
    },
  };
  const history = new History(counting);
  const head = await headOf(log, large);
  const first = await history.page(head, { limit: 100 });
  assert.equal(first.messages.length, 100);
  assert.ok(read < head.last / 10, `${read} of ${head.last} events were read for 100 of 10,000 messages`);
  const whole = await allPages(history, head, 100, false);
  assert.equal(whole.length, 10_002);
  assert.ok(largest <= 2_048, `${largest} events were held at once`);

  // Each time another page: one that was read before is kept.
  const page =
    (session: string, more = "") =>
    (take: number) =>
      client.messages(session, `?limit=${100 + take}${more}`);
  const [anchor, newest] = [await timed(page(small)), await timed(page(large))];
  const { headers } = await client.call("GET", `/session/${large}/message?limit=100`);
  const cursor = headers.get("x-next-cursor") ?? "";
  const older = await timed(page(large, `&before=${cursor}`));
  const middle = whole[5_000]?.info;
  const far = Buffer.from(JSON.stringify({ id: middle?.id, time: middle?.time.created })).toString("base64url");
  const deep = await timed(page(large, `&before=${far}`));
  t.diagnostic(
    `100 messages: of 200 in ${anchor.toFixed(1)} ms, of 10,000 the newest in ${newest.toFixed(1)} ms, the next in ${older.toFixed(1)} ms, from the middle in ${deep.toFixed(1)} ms`,
  );
  for (const time of [newest, older, deep]) assertWithin(time, 4 * anchor + 50, "a page of the long session");
});

test("pages over HTTP: the newest first, ascending, with a cursor and a link to what is older", async (t) => {
  const { client, server } = await sessionsRig(t, { "*": [{ text: "You said: {{prompt}}" }] });
  const { id } = await client.create();
  for (const word of ["one", "two", "three"]) await client.ask(id, word);
  const whole = await client.messages(id);
  assert.equal(whole.length, 6);
  assert.deepEqual(await client.messages(id, "?limit=0"), whole, "0 is no limit");
  assert.deepEqual(await client.messages(id, "?limit=100"), whole);

  const first = await client.call<MessageWithParts[]>("GET", `/session/${id}/message?limit=4`);
  assert.deepEqual(first.body, whole.slice(2));
  const cursor = first.headers.get("x-next-cursor") ?? "";
  const { info } = whole[2] ?? assert.fail();
  const { id: named, time } = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  assert.deepEqual([named, time], [info.id, info.time.created]);
  const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
  assert.equal(new URL(link).origin, client.url);
  const second = await fetch(link);
  assert.deepEqual(await second.json(), whole.slice(0, 2));
  assert.deepEqual(
    [second.headers.get("x-next-cursor"), second.headers.get("link")],
    [null, null],
    "it is the last one",
  );

  for (const query of ["?limit=-1", "?limit=x", "?limit=2&before=nonsense", "?limit=2&before=e30"])
    assert.equal((await client.call("GET", `/session/${id}/message${query}`)).status, 400, query);
  await server.restart();
  assert.deepEqual(await new Client(server.parley.url, client.directory).messages(id), whole, "also after a restart");
});
