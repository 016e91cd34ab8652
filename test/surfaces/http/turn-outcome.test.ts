import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf } from "../../../src/surfaces/http/turn-outcome.ts";
import { startServer } from "../../support/server.ts";
import { PATIENCE_MS } from "../../support/time.ts";

test("the outcome of a turn comes, though the session was deleted before the first look at its log", async (t) => {
  const { api, parley } = await startServer(t);
  const { id } = await api.create();
  const begun = await api.prompt(id, "[[ask ls]]");
  const queued = await api.prompt(id, "the next");
  await parley.gateway.remove(id);
  for (const receipt of [begun, queued]) {
    const outcome = await outcomeOf(parley.gateway.log, id, receipt, AbortSignal.timeout(PATIENCE_MS));
    assert.equal(outcome.reason, "withdrawn");
  }
});
