import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EventHandover } from "../../src/client/handover.ts";
import { createClient, type ParleyEvent, type SessionHandle, type StreamEvent } from "../../src/client/index.ts";
import type { RequestWithHandover } from "../../src/core/handover.ts";
import { eventually } from "../support/eventually.ts";
import { quick, startServer, type TestServer } from "./support.ts";

const message = (data: string) => ({ event: "gap", data });

test("what was given is taken in order, and the end comes after it", async () => {
  const handover = new EventHandover();
  assert.equal(handover.give(message("a"), 1), undefined);
  handover.give(message("b"), 1);
  handover.end(new Error("over"));
  handover.give(message("c"), 1);
  assert.deepEqual([await handover.take(), await handover.take()], [message("a"), message("b")]);
  await assert.rejects(handover.take(), /over/);
});

test("one who waits gets what is given next", async () => {
  const handover = new EventHandover();
  const taking = handover.take();
  handover.give(message("a"), 1);
  assert.deepEqual(await taking, message("a"));
});

test("a stream waits for a client that is behind, and no longer for one that is gone", async () => {
  for (const leave of [false, true]) {
    const handover = new EventHandover();
    let isRoomy = false;
    void handover.give(message("a"), 2 ** 21)?.then(() => {
      isRoomy = true;
    });
    await nextTurn();
    assert.equal(isRoomy, false);
    if (leave) handover.end(new Error("gone"));
    else await handover.take();
    await nextTurn();
    assert.equal(isRoomy, true);
  }
});

const piece = (seq: number) => ({
  events: [{ type: "item.delta", seq, data: { item: "itm_a", field: "text", delta: `${seq}` } } as ParleyEvent],
});
const updated = (seq: number) => ({ events: [{ type: "session.updated", seq } as ParleyEvent] });

test("a piece is taken within the call by one who waits; anything else, and a piece before that, by its reader", async () => {
  const taken: number[] = [];
  const handover = new EventHandover(({ seq }) => {
    taken.push(seq);
    return undefined;
  });
  handover.give(piece(1), 1);
  assert.deepEqual(await handover.take(), piece(1));
  const taking = handover.take();
  handover.give(piece(2), 1);
  handover.give(piece(3), 1);
  assert.deepEqual(taken, [2, 3]);
  handover.give(updated(4), 1);
  handover.give(piece(5), 1);
  assert.deepEqual([await taking, await handover.take()], [updated(4), piece(5)]);
  assert.deepEqual(taken, [2, 3]);
});

test("what comes while a piece is being taken comes after it, and so does the end", async () => {
  const slow = Promise.withResolvers<void>();
  const handover = new EventHandover(() => slow.promise);
  const taking = handover.take();
  handover.give(piece(1), 1);
  handover.give(piece(2), 1);
  handover.end(new Error("over"));
  assert.equal(await Promise.race([taking, nextTurn("nothing")]), "nothing");
  slow.resolve();
  assert.deepEqual(await taking, piece(2));
  await assert.rejects(handover.take(), /over/);
});

test("a piece that is refused ends the connection", async () => {
  for (const refuse of [() => Promise.reject(new Error("a hole")), () => assert.fail("a hole")]) {
    const handover = new EventHandover(refuse);
    const taking = handover.take();
    handover.give(piece(1), 1);
    await assert.rejects(taking, /a hole/);
  }
});

interface Place {
  server: TestServer;
  /** Those that were sent with requests. */
  handovers: EventHandover[];
  inside: SessionHandle;
  outside: SessionHandle;
}

async function openPlace(server: TestServer): Promise<Place> {
  const handovers: EventHandover[] = [];
  const fetch = (url: string, init: RequestWithHandover): Promise<Response> => {
    if (init.handover instanceof EventHandover) handovers.push(init.handover);
    return server.parley.listener.fetch(url, init);
  };
  const outside = createClient({ url: server.url });
  const { id } = await outside.sessions.create();
  const inside = createClient({ url: server.url, fetch, backoff: quick });
  return { server, handovers, inside: inside.session(id), outside: outside.session(id) };
}

async function readUntil(session: SessionHandle, turns: number, native = false): Promise<StreamEvent[]> {
  const seen: StreamEvent[] = [];
  let ended = 0;
  for await (const event of session.events({ native })) {
    seen.push(event);
    if (event.type === "turn.ended" && ++ended === turns) break;
  }
  return seen;
}

const PROMPTS = ["hello", "[[tools]]", "[[reasoning]]", "[[error]]", "[[plan]]"];
const plain = (events: readonly StreamEvent[]): unknown => JSON.parse(JSON.stringify(events));

test("events that are handed over are those of the text, live and read again", async () => {
  await using server = await startServer();
  const { handovers, inside, outside } = await openPlace(server);
  const readers = [inside, outside].map((session) => readUntil(session, PROMPTS.length));
  for (const text of PROMPTS) await outside.prompt(text, { wait: true });
  const [handed, written] = await Promise.all(readers);
  assert.deepEqual(plain(handed ?? []), plain(written ?? []));
  assert.deepEqual(
    handovers.map(({ isUsed }) => isUsed),
    [true],
  );
  assert.deepEqual(await readUntil(inside, PROMPTS.length), await readUntil(outside, PROMPTS.length));
});

test("the agents' own lines are handed over with them", async () => {
  await using server = await startServer({ keepNative: true });
  const { inside, outside } = await openPlace(server);
  const reading = readUntil(inside, 1, true);
  await outside.prompt("hello", { wait: true });
  const handed = await reading;
  assert.ok(handed.some((event) => (event as ParleyEvent).native !== undefined));
  assert.deepEqual(handed.at(-1), (await readUntil(outside, 1, true)).at(-1));
});

test("a client that reads late loses nothing of a flood, and one whose stream is cut comes back", async () => {
  await using server = await startServer();
  const { handovers, inside, outside } = await openPlace(server);
  const events = inside.events();
  const seen: StreamEvent[] = [(await events.next()).value as StreamEvent];
  await outside.prompt("[[flood 20000]]", { wait: true });
  server.parley.cutStreams();
  for (let over = false; !over; ) {
    const event = (await events.next()).value as ParleyEvent;
    const before = seen.at(-1)?.seq ?? 0;
    assert.ok(event.seq - (event.folded ?? 0) - 1 <= before && event.seq > before, `${event.seq} after ${before}`);
    seen.push(event);
    over = event.type === "turn.ended";
  }
  await events.return();
  assert.ok(handovers.length > 1 && handovers.every(({ isUsed }) => isUsed));
  await eventually(
    "the server knows that it left",
    () => !server.parley.gateway.attachments.watched(inside.id, undefined),
  );
});

test("the deletion of the session is the last event", async () => {
  await using server = await startServer();
  const { inside, outside } = await openPlace(server);
  const reading = (async () => {
    const types: string[] = [];
    for await (const { type } of inside.events()) types.push(type);
    return types;
  })();
  await eventually("it is followed", () => server.parley.gateway.attachments.watched(inside.id, undefined));
  await outside.delete();
  assert.equal((await reading).at(-1), "session.ended");
});

test("one who hears gets the events of the stream, pieces within the call that stored them", async () => {
  await using server = await startServer();
  const { inside, outside } = await openPlace(server);
  const over = new AbortController();
  const heard: StreamEvent[] = [];
  let pieces = 0;
  const hearing = inside.hear(
    { signal: over.signal },
    async (event) => {
      heard.push(event);
      // So that events come while one is being taken.
      if (heard.length % 3 === 0) await nextTurn();
    },
    (event) => {
      pieces += 1;
      heard.push(event);
      return pieces % 2 === 0 ? nextTurn() : undefined;
    },
  );
  const written = readUntil(outside, PROMPTS.length + 2);
  for (const text of [...PROMPTS, "[[slow 200]]", "[[flood 2000]]"]) await outside.prompt(text, { wait: true });
  const expected = await written;
  await eventually("all was heard", () => heard.length >= expected.length);
  over.abort();
  await hearing;
  assert.deepEqual(plain(heard), plain(expected));
  assert.ok(pieces > 0, "some came alone");
});

test("one who hears may give no promise", async () => {
  await using server = await startServer();
  const { inside, outside } = await openPlace(server);
  const over = new AbortController();
  const heard: string[] = [];
  const take = (({ type }: StreamEvent) => void heard.push(type)) as unknown as () => Promise<void>;
  const hearing = inside.hear({ signal: over.signal }, take);
  await outside.prompt("[[slow 200]]", { wait: true });
  await eventually("the end was heard", () => heard.includes("turn.ended"));
  over.abort();
  await hearing;
});

test("an error of one who hears ends the hearing with that error", async () => {
  for (const refused of ["session.started", "item.delta"]) {
    await using server = await startServer();
    const { inside, outside } = await openPlace(server);
    const refuse = async ({ type }: StreamEvent): Promise<void> => {
      if (type === refused) throw new Error("not this one");
    };
    const hearing = inside.hear({}, refuse);
    hearing.catch(() => {});
    await outside.prompt("[[slow 200]]", { wait: true });
    await assert.rejects(hearing, /not this one/);
  }
});
