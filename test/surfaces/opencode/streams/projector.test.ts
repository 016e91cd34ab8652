import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Draft, ParleyEvent } from "../../../../src/core/events/event.ts";
import { createMemoryLog } from "../../../../src/log/memory/log.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import type { SessionEvent } from "../../../../src/surfaces/opencode/shapes/event.ts";
import type { Commit } from "../../../../src/surfaces/opencode/streams/commit.ts";
import { Projector } from "../../../../src/surfaces/opencode/streams/projector.ts";
import { anyScenario, play } from "../projection/worlds.ts";

const KEEP = { turns: 0, withinMs: 0 };
/** The session is read after each event whose number is a multiple of this. */
const EACH = 7;

function hear(messages: Set<string>, event: SessionEvent): void {
  if (event.type === "message.updated") messages.add(event.properties.info.id);
  if (event.type === "message.removed") messages.delete(event.properties.messageID);
}

/** A client that heard the events before a number from one server, and those after it from the next. */
async function checkRestart(session: string, events: readonly ParleyEvent[], last: number): Promise<void> {
  const log = createMemoryLog();
  const hold = await log.open({ id: session });
  const entries = events.map(({ seq: _, session: __, ...draft }) => ({ draft }));
  await hold.append(0, entries.slice(0, last));
  const whole = new SessionView(undefined, { keep: KEEP });
  const [here, away] = [new Set<string>(), new Set<string>()];
  for (const event of events)
    for (const { event: said } of whole.apply(event)) {
      hear(here, said);
      if (event.seq <= last) hear(away, said);
    }
  const position = await log.position();
  const options = { log, projectOf: () => "project", resting: 4, keep: KEEP, withOlder: () => false };
  const emit = ({ batches }: Commit): undefined => {
    for (const told of batches.flatMap((batch) => batch.json))
      hear(away, JSON.parse(typeof told === "string" ? told : told.text) as SessionEvent);
  };
  const projector = new Projector({ ...options, emit }, position);
  await projector.load(session, last);
  await hold.append(last, entries.slice(last));
  await projector.take(await log.readAll({ after: position, limit: events.length }));
  assert.deepEqual([...away].sort(), [...here].sort());
}

test("D6 a client hears of every message that a cut removes where the session was read from the log in the middle", () =>
  fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      for (const { events } of play(scenario)) {
        const [first] = events;
        const cut = events.findLast(({ type }) => type === "history.cut");
        if (!first || !cut) continue;
        for (let last = EACH; last < cut.seq; last += EACH) await checkRestart(first.session, events, last);
      }
    }),
    { numRuns: 300, seed: 41 },
  ));

test("a projector that was closed tells nothing more of the heavy events that it was about to tell", async () => {
  const heavy = "x".repeat(300_000);
  const told: number[][] = [];
  for (const closes of [false, true]) {
    const log = createMemoryLog();
    const hold = await log.open({ id: "ses_heavy" });
    const started = { agent: "scripted", directory: "/d", title: "first", version: 1 };
    const drafts = [
      { type: "session.started", data: started },
      ...[1, 2, 3].map((at) => ({ type: "session.updated", data: { title: `${at} ${heavy}` } })),
    ].map((draft) => ({ draft: { time: 1, source: "parley", ...draft } as Draft }));
    await hold.append(0, drafts);
    const positions: number[] = [];
    const emit = ({ batches }: Commit): undefined => {
      positions.push(...batches.map(({ position }) => position));
      projector.closed = closes && positions.length === 2;
    };
    const options = { log, projectOf: () => "project", resting: 4, keep: KEEP, withOlder: () => false, emit };
    const projector = new Projector(options, 0);
    await projector.take(await log.readAll({ after: 0, limit: 10 }));
    told.push(positions);
  }
  assert.deepEqual(told, [
    [1, 2, 3, 4],
    [1, 2],
  ]);
});
