import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "../../src/log/data-log.ts";
import { distantLog } from "../support/distant-log.ts";
import { assertNoGap, lawfulEvents } from "../support/laws.ts";
import { startServer } from "../support/server.ts";
import { Listener } from "./opencode/listener.ts";

test("streams of a log that loses hints, and whose positions skip and come late, miss no event", async (t) => {
  const { api } = await startServer(t, {
    openLog: async (options) => distantLog(await openLog(options), { lossy: true }),
  });
  const { id } = await api.create();
  const [one, all] = [await api.stream(id), await api.stream(null, "?after=0")];
  const opencode = new Listener(`${api.url}/event`);
  await opencode.connect();
  for (const words of ["hello there", "[[tools 2]] [[reasoning]]", "bye"]) {
    await api.ask(id, words);
    await opencode.idle(id);
  }
  const stored = await lawfulEvents(api, id);
  const last = stored.at(-1)?.seq ?? 0;
  for (const stream of [one, all]) {
    await stream.event((event) => event.seq === last, `the event ${last}`);
    assertNoGap(stream.events, 0);
    const seen = new Set(stream.events.map(({ seq }) => seq));
    assert.equal(seen.size, stream.events.length, "an event came twice");
    assert.deepEqual(
      stored.filter(({ seq }) => !seen.has(seq)),
      [],
    );
    await stream.close();
  }
  const half = all.events.length >> 1;
  const resumed = await api.stream(null, "", { "last-event-id": all.ids[half] ?? "" });
  await resumed.event((event) => event.seq === last, `the event ${last} once more`);
  const missed = new Set(all.events.slice(half + 1).map(({ seq }) => seq));
  for (const { seq } of resumed.events) assert.ok(missed.has(seq), `${seq} was received before`);
  assertNoGap(resumed.events, all.events[half]?.seq ?? 0);
  await resumed.close();
  await opencode.leave();
});
