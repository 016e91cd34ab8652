import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../support/eventually.ts";
import { needsPostgres } from "../../support/postgres.ts";
import { temporary } from "../../support/server.ts";
import { openStream, type SseReader } from "../../support/sse.ts";
import { follow, type Heard, heardBy, heldSession, inDirectory, type Node, textParts, twoNodes } from "./rig.ts";

/**
 * The events of the log that a stream has told: these have a place in the order over all sessions. Those of deltas are left out, because a client
 * that comes back may get the whole text in their place.
 */
function placed(reader: SseReader): Heard[] {
  return heardBy(reader).filter(
    ({ id, event }) => id !== undefined && event.type !== "server.connected" && !/delta/.test(event.type),
  );
}

async function prompt({ client }: Node, id: string, text: string): Promise<void> {
  await client.expect(200, "POST", `/session/${id}/message`, { body: textParts(text), operation: "any" });
}

const positionOf = (one: Heard | undefined): number => Number(one?.id?.split("-")[0]);
const isIdle = ({ type }: Heard["event"]): boolean => type === "session.idle";

/** Resolves when a stream has told so many ends of turns. */
function turns(reader: SseReader, count: number): Promise<boolean> {
  return reader.when(() => heardBy(reader).filter(({ event }) => isIdle(event)).length === count, `${count} turns`);
}

/** What one stream has told since the first event of another. */
async function fromFirstOf(later: SseReader, earlier: SseReader): Promise<Heard[]> {
  const first = await later.when(() => placed(later)[0], "a first event");
  const at = placed(earlier).findIndex(({ id }) => id === first.id);
  assert.ok(at >= 0, "the other stream has told it, too");
  return placed(earlier).slice(at);
}

for (const path of ["/event", "/global/event", "/api/event"])
  test(`${path} is the same on each node, and goes on at another one`, needsPostgres, async (t) => {
    const [a, b] = await twoNodes(t);
    const directory = await temporary(t);
    const id = await heldSession(a, directory);
    const open = ({ url }: Node, last?: string): Promise<SseReader> =>
      follow(
        t,
        inDirectory(`${url}${path}?snapshot=false`, directory),
        last === undefined ? {} : { "last-event-id": last },
      );
    const [atA, atB] = [await open(a), await open(b)];
    for (let count = 1; count <= 3; count++) await prompt(b, id, `count ${count}`);
    await prompt(a, id, "count 9");
    const last = path === "/api/event" ? "session.next.step.ended" : "session.idle";
    const done = (reader: SseReader): boolean => heardBy(reader).filter(({ event }) => event.type === last).length >= 4;
    await Promise.all([atA, atB].map((reader) => reader.when(done, "four turns")));
    // The streams may begin with the end of the first turn: events get their places a moment after they are stored.
    const all = await fromFirstOf(atB, atA);
    await atB.when(() => placed(atB).length >= all.length, "as many events");
    assert.deepEqual(placed(atB).slice(0, all.length), all);

    // From one node to the other and back, after each event: nothing is missing and nothing comes twice.
    for (const [at, { id: cursor }] of all.entries()) {
      if (at % 5 !== 0) continue;
      const moved = await open(at % 2 === 0 ? b : a, cursor);
      const rest = all.slice(at + 1);
      await moved.when(() => placed(moved).length >= rest.length, "the rest");
      assert.deepEqual(placed(moved).slice(0, rest.length), rest);
      await moved.close();
    }
  });

test("a client that comes from a node that was ahead waits, and hears nothing twice", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t);
  const directory = await temporary(t);
  const id = await heldSession(a, directory);
  const path = inDirectory("/event?snapshot=false", directory);
  const behind = await follow(t, `${b.url}${path}`);
  const atA = await follow(t, `${a.url}${path}`);
  // Many moves while the other node still reads: some of them are ahead of it.
  const heardAll: Heard[] = [];
  let reader = atA;
  for (let round = 0; round < 6; round++) {
    const before = placed(reader).length;
    await a.client.expect(204, "POST", `/session/${id}/prompt_async`, { body: textParts(`count ${5 + round}`) });
    await reader.when(() => placed(reader).length > before + 3, "some events");
    const seen = placed(reader);
    heardAll.push(...seen);
    const cursor = seen.at(-1)?.id ?? "";
    await reader.close();
    reader = await follow(t, `${round % 2 === 0 ? b.url : a.url}${path}`, { "last-event-id": cursor });
  }
  await turns(behind, 6);
  const expected = placed(behind);
  const last = expected.at(-1)?.id;
  const whole = (): Heard[] => [...heardAll, ...placed(reader)];
  await reader.when(() => whole().at(-1)?.id === last, "all of it");
  // One of the streams may have begun a moment earlier than the other.
  const from = Math.max(...[whole(), expected].map(([first]) => positionOf(first)));
  const since = (events: readonly Heard[]): Heard[] => events.filter((one) => positionOf(one) >= from);
  assert.deepEqual(since(whole()), since(expected));
});

test("Parley's own streams are the same on each node, and go on at another one", needsPostgres, async (t) => {
  const [a, b] = await twoNodes(t);
  const directory = await temporary(t);
  const id = await heldSession(a, directory);
  await prompt(b, id, "count 5");
  // A fold between two readers would have them see the same text in different pieces.
  await eventually("both turns are folded", async () => {
    const { gateway } = a.server.parley;
    const ended = (await gateway.get(id)).turn === null;
    const records = await gateway.log.read(id, { after: 0, limit: 1_000 });
    return ended && records.every(({ type }) => type !== "item.delta");
  });
  for (const path of ["/v1/stream", `/v1/sessions/${id}/stream`]) {
    const [atA, atB] = [await openStream(`${a.url}${path}?after=0`), await openStream(`${b.url}${path}?after=0`)];
    t.after(() => Promise.all([atA.close(), atB.close()]));
    const over = (reader: SseReader): boolean => reader.count("turn.ended") === 2;
    await Promise.all([atA, atB].map((reader) => reader.when(over, "two turns")));
    assert.deepEqual([atB.ids, atB.events], [atA.ids, atA.events], path);
    const half = Math.floor(atA.ids.length / 2);
    const moved = await openStream(`${b.url}${path}`, { "last-event-id": atA.ids[half] ?? "" });
    t.after(() => moved.close());
    await moved.when(({ ids }) => ids.length >= atA.ids.length - half - 1, "the rest");
    assert.deepEqual(moved.ids, atA.ids.slice(half + 1), path);
  }
});
