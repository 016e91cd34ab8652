import assert from "node:assert/strict";
import { test } from "node:test";
import { ParleyError } from "../../../src/core/errors.ts";
import { createMetrics } from "../../../src/core/metrics.ts";
import type { Log } from "../../../src/log/contract.ts";
import { answering } from "../fake-agent.ts";
import { ended, rig, text } from "../rig.ts";

/** A log that a test can have say that nothing is stored. */
function lostLog(): { lost: boolean; wrap(log: Log): Log } {
  const place = {
    lost: false,
    wrap(log: Log): Log {
      log.fault = () => (place.lost ? new ParleyError("storage_lost", "the files are gone") : undefined);
      return log;
    },
  };
  return place;
}

test("an agent whose session's prompt or deletion was refused is still counted as idle", async (t) => {
  const place = lostLog();
  const metrics = createMetrics();
  const r = await rig(t, { metrics, wrap: place.wrap });
  r.fake.onPrompt = answering;
  const { id } = await r.gateway.create({ directory: r.directory });
  await r.gateway.prompt(id, text("one"));
  await r.until(id, ended);
  place.lost = true;
  await assert.rejects(r.gateway.prompt(id, text("two")), { code: "storage_lost" });
  assert.match(metrics.render(), /^parley_agents_idle 1$/m);
  await assert.rejects(r.gateway.remove(id), { code: "storage_lost" });
  assert.match(metrics.render(), /^parley_agents_idle 1$/m);
  assert.equal(r.fake.last.gone, false);
});

test("a deletion that was refused changes nothing: the session gets another agent when it needs one", async (t) => {
  const place = lostLog();
  const r = await rig(t, { wrap: place.wrap });
  const { id } = await r.gateway.create({ directory: r.directory });
  const first = r.fake.prompted();
  await r.gateway.prompt(id, text("one"));
  const agent = await first;
  place.lost = true;
  await assert.rejects(r.gateway.remove(id), { code: "storage_lost" });
  place.lost = false;
  r.fake.onPrompt = answering;
  const { turn } = await r.gateway.prompt(id, text("two", { delivery: "queue" }));
  assert.equal(turn, undefined, "it waits for the first turn");
  agent.exit(1);
  const end = await r.until(id, (event) => event.type === "turn.ended" && event.data.reason === "end_turn");
  assert.ok(end);
  assert.equal(r.fake.starts.length, 2);
});
