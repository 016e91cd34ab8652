import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../../support/eventually.ts";
import { needOf, setStage } from "../serve/stage.ts";

test("the gate forgets a server that is gone, and one that never came", async (t) => {
  const forgotten: string[] = [];
  let count = 0;
  const launch = async () => {
    const id = `id_${++count}`;
    return { id, plugin: "file:///none.js", env: {}, forget: () => void forgotten.push(id) };
  };
  const stage = await setStage(t, { gate: { launch } });
  const { server, release } = await stage.servers.lease(needOf(stage, { ruled: true }));
  assert.equal(server.gate, "id_1");
  await server.kill(0);
  release();
  await eventually("the first is forgotten", () => forgotten.length === 1);
  const failing = await setStage(t, { gate: { launch }, readyMs: 1 });
  await assert.rejects(failing.servers.lease(needOf(failing, { ruled: true })));
  await eventually("the second is forgotten", () => forgotten.length === 2);
});
