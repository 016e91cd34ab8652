import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createListeners } from "../../../src/log/listeners.ts";
import { createFollower } from "../../../src/log/postgres/follower.ts";

test("a follower asks a database that refuses at once with each poll, not again and again", async () => {
  let asked = 0;
  const away = (): Promise<never> => {
    asked += 1;
    // Where a follower asks without an end, the test must end all the same.
    return asked < 1_000 ? Promise.reject(new Error("the database is away")) : new Promise(() => {});
  };
  const told: unknown[] = [];
  const listeners = createListeners((thrown) => told.push(thrown));
  listeners.addAll(() => {});
  const follower = createFollower({
    database: { query: away },
    events: { readAll: away, readMany: away },
    listeners,
    keepNative: false,
    position: 1,
    held: () => undefined,
    report: (thrown) => told.push(thrown),
  });
  follower.moved(5);
  for (let at = 0; at < 5; at++) await turn();
  assert.equal(asked, 1);
  follower.moved(6);
  await turn();
  assert.equal(asked, 2);
  assert.deepEqual(
    told.map((thrown) => String(thrown)),
    Array(2).fill("Error: the database is away"),
  );
});
