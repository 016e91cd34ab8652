import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ParleyEvent } from "../../../../src/core/events/event.ts";
import type { Log } from "../../../../src/log/contract.ts";
import { createMemoryLog } from "../../../../src/log/memory/log.ts";
import { SessionView } from "../../../../src/surfaces/opencode/projection/session-view.ts";
import type { NextMessage } from "../../../../src/surfaces/opencode/shapes/next.ts";
import { NextNumbers } from "../../../../src/surfaces/opencode/v2/next/durable.ts";
import { NextHistory } from "../../../../src/surfaces/opencode/v2/next/history.ts";
import { historyPage } from "../../../../src/surfaces/opencode/v2/next/session-stream.ts";
import { anyScenario, play } from "../projection/worlds.ts";
import { type HeardEvent, NextClient } from "./next-client.ts";

const KEEP = { turns: 0, withinMs: 0 };
const RUNS = 60;

/** Everything that the newer streams say of a session. */
function told(events: readonly ParleyEvent[]): HeardEvent[] {
  const view = new SessionView(undefined, { keep: KEEP });
  const numbers = new NextNumbers(events[0]?.session ?? "");
  return events.flatMap((event) =>
    numbers
      .take(event, view.apply(event), view)
      .map((one) => JSON.parse(JSON.stringify(numbers.told(one))) as HeardEvent),
  );
}

async function stored(events: readonly ParleyEvent[]): Promise<Log> {
  const log = createMemoryLog();
  const hold = await log.open({ id: events[0]?.session ?? "" });
  await hold.append(
    0,
    events.map(({ seq: _, session: __, ...draft }) => ({ draft })),
  );
  return log;
}

function eachSession(check: (events: readonly ParleyEvent[]) => void | Promise<void>): Promise<void> {
  return fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      for (const { events } of play(scenario)) if (events.length > 0) await check(events);
    }),
    { numRuns: RUNS, seed: 43 },
  );
}

/**
 * Without times, which a client that listens cannot know to the millisecond, without texts that were taken back, and without the
 * model and mode of steps, which an agent may tell only after the step has begun.
 */
function comparable(messages: readonly NextMessage[]): unknown[] {
  return messages.map(({ time: _, ...message }) => {
    if (message.type !== "assistant") return message;
    const said = message.content.filter((part) => part.type === "tool" || part.text !== "");
    const content = said.map((part) => ({ ...part, time: undefined })).sort((a, b) => (a.id < b.id ? -1 : 1));
    return { ...message, content, model: undefined, agent: undefined };
  });
}

async function listed(log: Log, session: string): Promise<NextMessage[]> {
  const head = await log.head(session);
  assert.ok(head);
  const found: NextMessage[] = [];
  for await (const { message } of new NextHistory(log).back(head, Number.POSITIVE_INFINITY)) found.push(message);
  return found.reverse();
}

const ENDS: Readonly<Record<string, RegExp>> = {
  "step.started": /^step\.(ended|failed)$/,
  "text.started": /^text\.ended$/,
  "reasoning.started": /^reasoning\.ended$/,
  "tool.input.started": /^tool\.(success|failed)$/,
  "shell.started": /^shell\.ended$/,
};

test("D4 everything begins once and ends once, and nothing comes after idle", () =>
  eachSession((events) => {
    const open = new Map<string, RegExp>();
    for (const { type, data } of told(events)) {
      if (type === "session.idle") assert.deepEqual([...open.keys()], [], "idle with something open");
      const name = type.replace("session.next.", "");
      if (name === type) continue;
      const { callID, textID, reasoningID, assistantMessageID: step } = data as Record<string, string>;
      const id = callID ?? textID ?? reasoningID ?? step ?? "";
      const ends = ENDS[name];
      if (ends) {
        assert.ok(!open.has(id), `${id} begins twice`);
        open.set(id, ends);
      } else if (Object.values(ENDS).some((one) => one.test(name))) {
        assert.match(name, open.get(id) ?? /nothing/, `${id} ends and was not open`);
        open.delete(id);
      }
    }
    assert.deepEqual([...open.keys()], []);
  }));

test("a client that only listens has the messages that the list has", () =>
  eachSession(async (events) => {
    const client = new NextClient();
    for (const event of told(events)) client.hear(event);
    const log = await stored(events);
    const session = events[0]?.session ?? "";
    if (!(await log.head(session))) return;
    assert.deepEqual(comparable(await listed(log, session)), comparable(client.messages));
  }));

test("D6 numbers grow, and a client that comes back after any of them misses nothing that is kept", () =>
  eachSession(async (events) => {
    const kept = told(events).filter(({ durable }) => durable);
    const numbers = kept.map(({ durable }) => durable?.seq ?? 0);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
    const log = await stored(events);
    const session = events[0]?.session ?? "";
    if (!(await log.head(session))) return;
    for (const after of [0, ...numbers.filter((_, index) => index % 5 === 0)]) {
      const { events: page, hasMore } = await historyPage(log, session, after, 7);
      const rest = kept.filter(({ durable }) => (durable?.seq ?? 0) > after);
      assert.deepEqual(
        page.map((json) => JSON.parse(json) as HeardEvent),
        rest.slice(0, 7),
      );
      assert.equal(hasMore, rest.length > 7);
    }
  }));

test("a page in either direction and order is a piece of the whole list", () =>
  eachSession(async (events) => {
    const log = await stored(events);
    const session = events[0]?.session ?? "";
    const head = await log.head(session);
    if (!head) return;
    const all = (await listed(log, session)).map(({ id }) => id).reverse();
    const history = new NextHistory(log);
    for (let at = 0; at < all.length; at += 2) {
      const older = await history.older(head, at + 1);
      assert.deepEqual(
        older.map(({ message }) => message.id),
        all.slice(0, at + 1),
      );
      const found = older.at(-1);
      if (!found) continue;
      const around = { id: found.message.id, turn: found.turn };
      const ids = (found_: readonly { message: NextMessage }[] | undefined): string[] =>
        (found_ ?? []).map(({ message }) => message.id);
      assert.deepEqual(ids(await history.older(head, 2, around)), all.slice(at + 1, at + 3));
      assert.deepEqual(ids(await history.newer(head, 2, around)), all.slice(Math.max(0, at - 2), at));
      assert.deepEqual(await history.message(head, found.message.id), found.message);
    }
  }));
