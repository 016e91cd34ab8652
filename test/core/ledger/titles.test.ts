import assert from "node:assert/strict";
import { test } from "node:test";
import { restore } from "../../../src/core/ledger/restore.ts";
import { newLedger } from "../../../src/core/ledger/state.ts";
import { step } from "../../../src/core/ledger/step.ts";
import { World } from "./world.ts";

const world = (): World => new World({ step, newLedger, restore });

test("a session is named by its first prompt, then by the agent, and by neither once a client has named it", () => {
  const w = world().prompt("msg_1");
  const titles = [w.session?.title];
  for (const title of ["Its own", "Another of its own"]) {
    w.signal({ type: "session", title });
    titles.push(w.session?.title);
  }
  w.command({ type: "update", facts: { title: "Mine" } }).signal({ type: "session", title: "Its own", model: "m" });
  titles.push(w.session?.title);
  assert.deepEqual(titles, ["do msg_1", "Its own", "Another of its own", "Mine"]);
  assert.equal(w.session?.model, "m", "other facts are the agent's");
  w.command({ type: "update", facts: { title: "Mine again" } });
  assert.equal(w.session?.title, "Mine again");
  w.settle();
  assert.deepEqual(w.broken(), []);
});
